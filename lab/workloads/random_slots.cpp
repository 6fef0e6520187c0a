// Workload random-slots: blocks of Pareto-distributed sizes live and die at random.
//
// Idea: Knuth, The Art of Computer Programming, vol. 1, section 2.5, which studies allocators under
// random sizes and lifetimes; run by several threads side by side as in Lever and Boreham,
// "malloc() performance in a multithreaded Linux environment", USENIX 2000. Sizes follow Pareto's
// law, since uniform sizes hide effects of real mixes (Wilson, Johnstone, Neely and Boles, "Dynamic
// storage allocation: a survey and critical review", IWMM 1995). Most blocks are small, and with
// the exponent 1 each doubling of the size holds the same share of the bytes.

#include "workload.hpp"

namespace {

constexpr double smallest = 8;
constexpr double largest = 32 * 1024;
constexpr std::size_t slots_per_task = 4000;
constexpr std::size_t slots_per_step = 8;
constexpr double steps_per_task = 44e3;
constexpr unsigned rounds = 8;

// Sizes at 4096 equal steps of the distribution. A lookup costs less than Pareto's formula.
class size_table {
 public:
  size_table() {
    for (std::size_t i = 0; i < count; ++i) {
      const double rank = (static_cast<double>(i) + 0.5) / count;
      sizes_[i] = static_cast<std::uint32_t>(smallest / (1 - rank * (1 - smallest / largest)));
    }
  }

  std::uint32_t at(std::uint64_t word) const { return sizes_[word % count]; }

 private:
  static constexpr std::size_t count = 4096;
  std::uint32_t sizes_[count];
};

class task {
 public:
  task(unsigned number, const size_table& sizes)
      : sizes_(&sizes), random_(number), slots_(slots_per_task) {
    refill(slots_);
  }

  std::uint64_t run(std::uint64_t steps) {
    std::uint64_t sum = 0;
    for (; steps != 0; --steps) {
      const auto chosen = std::span(slots_).subspan(pick(random_.word()), slots_per_step);
      sum += lab::retire(chosen);
      refill(chosen);
    }
    return sum;
  }

  std::uint64_t end() { return lab::retire(slots_); }

 private:
  void refill(std::span<lab::sealed_block> slots) {
    for (auto& slot : slots) {
      const std::uint64_t word = random_.word();
      slot = lab::sealed_block::create(sizes_->at(word), word >> 12);
    }
  }

  // The square of a uniform number favours low slots: many blocks die young, some live through.
  static std::size_t pick(std::uint64_t word) {
    const std::uint64_t place = word >> 44;
    return (place * place * (slots_per_task - slots_per_step + 1)) >> 40;
  }

  const size_table* sizes_;
  lab::random_source random_;
  std::vector<lab::sealed_block> slots_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t steps = options.scaled(steps_per_task / rounds);
  const size_table sizes;
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    // All tasks of a lane are alive together, so live memory does not depend on the threads.
    std::vector<task> tasks;
    for (unsigned n = lane; n < lab::task_count; n += options.threads) {
      tasks.emplace_back(n, sizes);
    }
    std::uint64_t sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      for (auto& each : tasks) sum += each.run(steps);
    }
    for (auto& each : tasks) sum += each.end();
    return sum;
  }));
}
