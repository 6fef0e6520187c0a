// Workload shrinks: three peaks of 60 MB, each followed by little work.
//
// Idea: compilers between two files, servers after a burst, editors after a search. Wilson,
// Johnstone, Neely and Boles, "Dynamic storage allocation: a survey and critical review", IWMM
// 1995, call it peaks: memory rises steeply and falls again. An allocator may keep the memory for
// the next peak, but not for ever: the program goes on with little. So a rest shows what is held
// two seconds later.

#include <algorithm>
#include <cmath>

#include "workload.hpp"

namespace {

constexpr double smallest = 16;
constexpr double largest = 200e3;
constexpr double blocks_per_task = 80;
constexpr unsigned peaks = 3;
constexpr std::size_t few = 20;
constexpr std::uint32_t few_largest = 1000;
constexpr double small_steps_per_task = 5e3;

class task {
 public:
  explicit task(unsigned number) : random_(number) {
    for (auto& each : few_) each = made_small();
  }

  void rise(std::uint64_t blocks) {
    many_.reserve(blocks + 1);  // a block that overlaps it by 16 bytes overwrites no entry
    for (; blocks != 0; --blocks) {
      const double size = smallest * std::pow(largest / smallest, random_.unit());
      many_.push_back(lab::sealed_block::create(static_cast<std::uint32_t>(size), random_.word()));
    }
  }

  std::uint64_t fall() {
    const std::uint64_t sum = lab::retire(many_);
    std::vector<lab::sealed_block>().swap(many_);
    return sum;
  }

  std::uint64_t little(std::uint64_t steps) {
    std::uint64_t sum = 0;
    for (; steps != 0; --steps) {
      auto& slot = few_[random_.below(few)];
      sum += slot.verify();
      std::free(slot.data);
      slot = made_small();
    }
    return sum;
  }

  std::uint64_t end() { return lab::retire(few_); }

 private:
  lab::sealed_block made_small() {
    return lab::sealed_block::create(16 + random_.below(few_largest), random_.word());
  }

  lab::random_source random_;
  lab::sealed_block few_[few];
  std::vector<lab::sealed_block> many_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t blocks = options.scaled(blocks_per_task);
  const std::uint64_t steps = options.scaled(small_steps_per_task);
  const std::uint64_t sum = lab::run_lanes(options.threads, [&](unsigned lane) {
    std::vector<task> tasks;
    for (unsigned n = lane; n < lab::task_count; n += options.threads) tasks.emplace_back(n);
    std::uint64_t of_lane = 0;
    for (unsigned i = 0; i < peaks; ++i) {
      for (auto& each : tasks) each.rise(blocks);
      for (auto& each : tasks) of_lane += each.fall();
      for (auto& each : tasks) of_lane += each.little(steps);
    }
    for (auto& each : tasks) of_lane += each.end();
    return of_lane;
  });
  task rest_of_it(lab::task_count);
  return lab::finish(sum, [&] { rest_of_it.little(100); });
}
