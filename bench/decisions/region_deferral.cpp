// Decision 0015: when do small freed blocks join their neighbours?
//
// usage: region_deferral                  headers looked at by the longest call, and utilisation
//        region_deferral DESIGN WORK N    N rounds of one row, for counting instructions
//   DESIGN  immediate | fixed | default | low | unbounded
//   WORK    list (32768 nodes come and go, first in first out) | random (80 % full) | full (98 %)
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "region_designs.hpp"

namespace {

namespace regions = heapsmith::regions;

constexpr std::size_t memory_bytes = std::size_t{16} << 20;
constexpr std::size_t nodes = 32768, node_bytes = 24, steps_a_round = 10'000;

template <class Frame>
[[gnu::noinline]] void* region_allocate(regions::engine<Frame>& r, std::size_t bytes) {
  return r.allocate(bytes);
}
template <class Frame>
[[gnu::noinline]] void region_deallocate(regions::engine<Frame>& r, void* p) {
  r.deallocate(p);
}

template <class Frame>
class trial {
 public:
  trial() { region_->add_memory(memory_.at(), memory_.bytes()); }

  void list_round() {
    std::vector<void*> list;
    list.reserve(nodes);
    for (std::size_t i = 0; i < nodes; ++i) list.push_back(allocate(node_bytes));
    for (void* p : list) deallocate(p);
  }

  void fill(std::size_t share) {
    while (in_use_ < memory_bytes / 100 * share) come();
  }
  void random_round() {
    for (std::size_t i = 0; i < steps_a_round; ++i) {
      go();
      come();
    }
  }

  double fill_until_failure() {
    for (std::size_t step = 1; refused_ == 0; ++step) {
      come();
      if (step % 3 == 0) go();
    }
    return static_cast<double>(in_use_) / memory_bytes;
  }

  [[nodiscard]] std::uint64_t most_looks() const { return most_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  struct held {
    void* p;
    std::size_t bytes;
  };

  void* allocate(std::size_t bytes) {
    const std::uint64_t before = Frame::looks;
    void* const p = region_allocate(*region_, bytes);
    most_ = std::max(most_, Frame::looks - before);
    return p;
  }
  void deallocate(void* p) {
    const std::uint64_t before = Frame::looks;
    region_deallocate(*region_, p);
    most_ = std::max(most_, Frame::looks - before);
  }
  /// 16 to 272 bytes; one in 64 is up to 16 KiB long.
  void come() {
    const std::size_t bytes = random_() % 64 == 0 ? random_() % 16384 + 1 : 16 + random_() % 257;
    void* const p = allocate(bytes);
    if (p == nullptr) return void(++refused_);
    blocks_.push_back({p, bytes});
    in_use_ += bytes;
  }
  void go() {
    std::swap(blocks_[random_() % blocks_.size()], blocks_.back());
    in_use_ -= blocks_.back().bytes;
    deallocate(blocks_.back().p);
    blocks_.pop_back();
  }

  regions::mapping memory_{memory_bytes};
  std::unique_ptr<regions::engine<Frame>> region_ = std::make_unique<regions::engine<Frame>>();
  std::mt19937_64 random_{7};
  std::vector<held> blocks_;
  std::size_t in_use_ = 0;
  std::uint64_t most_ = 0, refused_ = 0;
};

template <class Frame>
void run(std::string_view work, unsigned rounds) {
  trial<Frame> t;
  if (work != "list") t.fill(work == "full" ? 93 : 80);
  for (unsigned i = 0; i < rounds; ++i) work == "list" ? t.list_round() : t.random_round();
}

template <class Frame>
void report(const char* name) {
  trial<Frame> list, random, full, filled;
  for (int i = 0; i < 10; ++i) list.list_round();
  random.fill(80);
  full.fill(93);
  for (int i = 0; i < 50; ++i) random.random_round(), full.random_round();
  printf("%-10s %12llu %12llu %12llu %12llu %11.2f%%\n", name,
         static_cast<unsigned long long>(list.most_looks()),
         static_cast<unsigned long long>(random.most_looks()),
         static_cast<unsigned long long>(full.most_looks()),
         static_cast<unsigned long long>(full.refused()), 100 * filled.fill_until_failure());
}

struct contender {
  const char* name;
  void (*report)(const char*);
  void (*run)(std::string_view, unsigned);
};
template <std::size_t Min, std::size_t Max>
constexpr contender entry(const char* name) {
  using frame = regions::with_deferred<Min, Max>;
  return {name, report<frame>, run<frame>};
}

using regions::chosen;
constexpr std::size_t everything = std::size_t{1} << 40;
constexpr contender contenders[] = {entry<0, 0>("immediate"),
                                    entry<chosen::deferred_min, chosen::deferred_min>("fixed"),
                                    entry<chosen::deferred_min, chosen::deferred_max>("default"),
                                    entry<chosen::deferred_min / 4, chosen::deferred_max>("low"),
                                    entry<everything, everything>("unbounded")};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) {
    for (const contender& c : contenders)
      if (std::string_view(argv[1]) == c.name)
        return c.run(argv[2], static_cast<unsigned>(strtoul(argv[3], nullptr, 10))), 0;
    return fputs("usage: region_deferral [DESIGN WORK ROUNDS]\n", stderr), 2;
  }
  printf("%-10s %12s %12s %12s %12s %12s\n", "design", "list, most", "random, most", "full, most",
         "full, failed", "utilisation");
  for (const contender& c : contenders) c.report(c.name);
}
