// Workload ended-threads: 500 threads use blocks of all sizes, free them all, and end.
//
// Idea: servers with a thread for each connection, and build tools with a thread for each file.
// Berger, McKinley, Blumofe and Wilson, "Hoard: a scalable memory allocator for multithreaded
// applications", ASPLOS 2000, ask that memory stays within a constant factor of what is in use,
// however many threads there were. As many threads as --threads says live at a time, and all of
// them hold their blocks at once.

#include <barrier>
#include <cmath>

#include "workload.hpp"

namespace {

constexpr double thread_count = 500;
constexpr unsigned blocks_per_thread = 2500;
constexpr unsigned rounds = 2;
constexpr double smallest = 8;
constexpr double largest = 32 * 1024;

std::uint64_t live(std::uint64_t number, std::barrier<>& all_hold) {
  lab::random_source random(number);
  std::uint64_t sum = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<lab::sealed_block> blocks;
    for (unsigned i = 0; i < blocks_per_thread; ++i) {
      const double size = smallest * std::pow(largest / smallest, random.unit() * random.unit());
      blocks.push_back(lab::sealed_block::create(static_cast<std::uint32_t>(size), random.word()));
    }
    all_hold.arrive_and_wait();
    sum += lab::retire(blocks);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t count = options.scaled(thread_count);
  std::uint64_t sum = 0;
  for (std::uint64_t first = 0; first < count; first += options.threads) {
    const auto at_once =
        static_cast<unsigned>(std::min<std::uint64_t>(options.threads, count - first));
    std::barrier all_hold(at_once);
    sum += lab::run_lanes(at_once, [&](unsigned lane) { return live(first + lane, all_hold); });
  }
  return lab::finish(sum);
}
