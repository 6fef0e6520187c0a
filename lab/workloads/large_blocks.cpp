// Workload large-blocks: blocks of 64 KiB to 16 MiB come and go, every OS page touched.
//
// Idea: analytical queries, whose hash tables, sort runs and column buffers are large and live
// briefly: Durner, Leis and Neumann, "On the impact of memory allocation on high-performance query
// processing", DaMoN 2019. The workload writes one word in each OS page. So the time goes to page
// faults and to the search for a fit: it depends on whether the allocator keeps and reuses memory.

#include <cmath>
#include <memory>
#include <utility>

#include "workload.hpp"

namespace {

constexpr double smallest = 64 * 1024;
constexpr double largest = 16 * 1024 * 1024;
constexpr std::size_t os_page = 4096;
constexpr double steps_per_task = 12;

class large_block {
 public:
  // A quarter of the blocks come from calloc, like hash tables.
  large_block(std::size_t size, std::uint64_t seal, bool zeroed) : size_(size), seal_(seal) {
    void* got = zeroed ? std::calloc(1, size) : std::malloc(size);
    if (got == nullptr) lab::fail("no large block");
    data_ = static_cast<unsigned char*>(got);
    if (zeroed) {
      for_each_mark([](unsigned char* mark, std::uint64_t) {
        if (load(mark) != 0) lab::fail("calloc returned a block that is not zero");
      });
    }
    for_each_mark(
        [](unsigned char* mark, std::uint64_t value) { std::memcpy(mark, &value, sizeof value); });
  }

  large_block(const large_block&) = delete;
  large_block& operator=(const large_block&) = delete;
  ~large_block() { std::free(data_); }

  std::uint64_t verify() const {
    std::uint64_t sum = size_;
    for_each_mark([&sum](unsigned char* mark, std::uint64_t value) {
      if (load(mark) != value) lab::fail("a large block changed while it was in use");
      sum = value;
    });
    return sum + size_;
  }

 private:
  static std::uint64_t load(const unsigned char* mark) {
    std::uint64_t found;
    std::memcpy(&found, mark, sizeof found);
    return found;
  }

  // Marks: each word of the first 4 KiB, the word at each OS page boundary, and the last word. Two
  // blocks that share 4 KiB share a boundary. If they share less, the first 4 KiB of one contain
  // the last word of the other. So the marks of two overlapping blocks always collide.
  template <class Visit>
  void for_each_mark(Visit visit) const {
    for (std::size_t at = 0; at < os_page; at += 8) visit(data_ + at, seal_ + at);
    const auto start = reinterpret_cast<std::uintptr_t>(data_);
    std::size_t at = os_page + (os_page - start % os_page) % os_page;
    const std::size_t last = size_ - 8;
    for (; at + 8 <= last; at += os_page) visit(data_ + at, seal_ + last);
    visit(data_ + last, seal_);
  }

  unsigned char* data_ = nullptr;
  std::size_t size_;
  std::uint64_t seal_;
};

// A task holds one block and one scratch block at a time, like an operator of a query.
class task {
 public:
  explicit task(unsigned number) : random_(number) {}

  std::uint64_t step() {
    auto next = make();
    const std::uint64_t sum = held_ ? held_->verify() : 0;
    held_ = std::move(next);
    return sum + make()->verify();
  }

  std::uint64_t end() { return held_->verify(); }

 private:
  std::unique_ptr<large_block> make() {
    const double size = smallest * std::pow(largest / smallest, random_.unit());
    const bool zeroed = random_.below(4) == 0;
    return std::make_unique<large_block>(static_cast<std::size_t>(size) & ~std::size_t{7},
                                         random_.word(), zeroed);
  }

  lab::random_source random_;
  std::unique_ptr<large_block> held_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t steps = options.scaled(steps_per_task);
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    std::vector<task> tasks;
    for (unsigned n = lane; n < lab::task_count; n += options.threads) tasks.emplace_back(n);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < steps; ++i) {
      for (auto& each : tasks) sum += each.step();
    }
    for (auto& each : tasks) sum += each.end();
    return sum;
  }));
}
