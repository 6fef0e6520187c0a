// Workload plateau: a large set of small blocks, one of which is replaced at random in each step.
//
// Idea: caches, connection tables and simulations that are full. Wilson, Johnstone, Neely and
// Boles, "Dynamic storage allocation: a survey and critical review", IWMM 1995, call a phase a
// plateau in which the memory in use stays the same while its blocks change. Each free leaves one
// hole somewhere, and the next malloc has to find one. So the time goes to how an allocator chooses
// among very many slabs, or pages, that are nearly full.

#include "workload.hpp"

namespace {

constexpr std::size_t slots_per_task = 6000;
constexpr double steps_per_task = 50e3;
constexpr std::uint32_t smallest = 16;
constexpr std::uint32_t largest = 256;
constexpr unsigned rounds = 5;

class task {
 public:
  explicit task(unsigned number) : random_(number), slots_(slots_per_task) {
    for (auto& slot : slots_) slot = made();
  }

  std::uint64_t run(std::uint64_t steps) {
    std::uint64_t sum = 0;
    for (; steps != 0; --steps) {
      auto& slot = slots_[random_.below(slots_per_task)];
      sum += slot.verify();
      std::free(slot.data);
      slot = made();
    }
    return sum;
  }

  std::uint64_t end() { return lab::retire(slots_); }

 private:
  lab::sealed_block made() {
    const std::uint32_t size = smallest + random_.below(largest - smallest + 1);
    return lab::sealed_block::create(size, random_.word());
  }

  lab::random_source random_;
  std::vector<lab::sealed_block> slots_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t steps = options.scaled(steps_per_task / rounds);
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    std::vector<task> tasks;
    for (unsigned n = lane; n < lab::task_count; n += options.threads) tasks.emplace_back(n);
    std::uint64_t sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      for (auto& each : tasks) sum += each.run(steps);
    }
    for (auto& each : tasks) sum += each.end();
    return sum;
  }));
}
