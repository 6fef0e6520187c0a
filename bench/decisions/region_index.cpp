// Decision 0014: which index finds the best fit among large free blocks?
//
// usage: region_index              the table
//        region_index DESIGN MIX STEPS   that many steps of one row, for counting instructions
//   DESIGN  trie | red-black | bitmap-first | bitmap-best    MIX  wide | narrow | crowded
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "region_designs.hpp"

namespace {

namespace regions = heapsmith::regions;

constexpr std::size_t memory_bytes = std::size_t{1} << 28;

struct mix {
  const char* name;
  std::size_t least, most;  // bytes, evenly spread over their logarithms
  bool thinned;             // half of the blocks go before the steps that are counted
};
constexpr mix mixes[] = {{"wide", 16 << 10, 1 << 20, false},
                         {"narrow", 64 << 10, 68 << 10, false},
                         {"crowded", 16 << 10, 17 << 10, true}};

class player_of_sizes {
 public:
  player_of_sizes(const mix& m, unsigned seed) : random_(seed), mix_(m) {}
  std::size_t draw() {
    const double share = std::uniform_real_distribution<>(0, 1)(random_);
    const auto least = static_cast<double>(mix_.least), most = static_cast<double>(mix_.most);
    return static_cast<std::size_t>(least * std::pow(most / least, share));
  }
  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  std::mt19937_64 random_;
  mix mix_;
};

struct outcome {
  double mean_looks, utilisation;
  std::uint64_t most_looks;
};

template <class Frame>
class trial {
 public:
  explicit trial(const mix& m, unsigned seed) : player_(m, seed) {
    region_->add_memory(memory_.at(), memory_.bytes());
  }

  /// Two come for each one that goes, until one cannot come. Returns: the share in use then.
  double fill() {
    std::size_t used = 0;
    for (std::size_t step = 1;; ++step) {
      const std::size_t bytes = player_.draw();
      void* const p = region_->allocate(bytes);
      if (p == nullptr) return static_cast<double>(used) / memory_bytes;
      blocks_.push_back({p, bytes});
      used += bytes;
      if (step % 2 == 0) used -= end_one();
    }
  }

  void thin() {
    for (std::size_t left = blocks_.size() / 2; blocks_.size() > left;) end_one();
  }

  /// One goes; one comes, if it can.
  void step() {
    counted([&] { end_one(); });
    const std::size_t bytes = player_.draw();
    counted([&] {
      if (void* const p = region_->allocate(bytes)) blocks_.push_back({p, bytes});
    });
  }

  [[nodiscard]] std::uint64_t most_looks() const { return most_; }
  [[nodiscard]] bool is_sound() const {
    bool sound = true;
    region_->for_each_block([&](const void*, regions::block_info i) { sound &= i.is_sealed(); });
    return sound;
  }

 private:
  struct held {
    void* p;
    std::size_t bytes;
  };

  template <class Call>
  void counted(Call call) {
    const std::uint64_t before = Frame::looks;
    call();
    most_ = std::max(most_, Frame::looks - before);
  }

  std::size_t end_one() {
    std::swap(blocks_[player_.below(blocks_.size())], blocks_.back());
    const held gone = blocks_.back();
    blocks_.pop_back();
    region_->deallocate(gone.p);
    return gone.bytes;
  }

  regions::mapping memory_{memory_bytes};
  std::unique_ptr<regions::engine<Frame>> region_ = std::make_unique<regions::engine<Frame>>();
  player_of_sizes player_;
  std::vector<held> blocks_;
  std::uint64_t most_ = 0;
};

template <class Frame>
outcome measure(const mix& m) {
  constexpr unsigned seeds = 8, steps = 50'000;
  outcome o = {0, 0, 0};
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    trial<Frame> t(m, seed);
    o.utilisation += t.fill() / seeds;
    if (m.thinned) t.thin();
    Frame::looks = 0;
    for (unsigned i = 0; i < steps; ++i) t.step();
    o.mean_looks += static_cast<double>(Frame::looks) / (2.0 * steps * seeds);
    o.most_looks = std::max(o.most_looks, t.most_looks());
    if (!t.is_sound()) abort();
  }
  return o;
}

template <class Frame>
void run(const mix& m, unsigned steps) {
  trial<Frame> t(m, 1);
  t.fill();
  if (m.thinned) t.thin();
  for (unsigned i = 0; i < steps; ++i) t.step();
}

struct contender {
  const char* name;
  outcome (*measure)(const mix&);
  void (*run)(const mix&, unsigned);
};

template <template <class> class Large>
constexpr contender entry(const char* name) {
  return {name, measure<regions::with_index<Large>>, run<regions::with_index<Large>>};
}

constexpr contender contenders[] = {
    entry<regions::digital_trees>("trie"), entry<regions::red_black_tree>("red-black"),
    entry<regions::bitmap_good_fit>("bitmap-first"), entry<regions::bitmap_best_of>("bitmap-best")};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) {
    for (const contender& c : contenders)
      for (const mix& m : mixes)
        if (std::string_view(argv[1]) == c.name && std::string_view(argv[2]) == m.name)
          return c.run(m, static_cast<unsigned>(strtoul(argv[3], nullptr, 10))), 0;
    return fputs("usage: region_index [DESIGN MIX STEPS]\n", stderr), 2;
  }
  printf("%-14s %-7s %14s %14s %14s\n", "design", "mix", "headers, mean", "headers, most",
         "utilisation");
  for (const mix& m : mixes)
    for (const contender& c : contenders) {
      const outcome o = c.measure(m);
      printf("%-14s %-7s %14.1f %14llu %13.2f%%\n", c.name, m.name, o.mean_looks,
             static_cast<unsigned long long>(o.most_looks), 100 * o.utilisation);
    }
}
