// Workload sleeping-threads: 500 threads allocate, free everything, and sleep.
//
// Idea: servers with a thread for each connection, and pools of workers sized for the worst case:
// most of the threads wait most of the time, long after they freed what their last request needed.
// Whatever an allocator keeps for each thread is kept 500 times, and a thread that sleeps gives
// nothing back by itself. Prints the resident set when all sleep, and again after malloc_trim().

#include <malloc.h>

#include <memory>
#include <semaphore>

#include "workload.hpp"

namespace {

constexpr double sleepers = 500;
constexpr unsigned rounds = 4;
constexpr unsigned blocks_per_round = 1500;
constexpr unsigned least_bits = 4, most_bits = 15;  // 16 bytes to 32 KiB

std::uint64_t work(std::uint64_t number) {
  lab::random_source random(number);
  std::uint64_t sum = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<lab::ended_block> blocks;
    for (unsigned i = 0; i < blocks_per_round; ++i) {
      const std::uint32_t least = 1u << (least_bits + random.below(most_bits - least_bits));
      const std::uint32_t size = (least + random.below(least + 1)) / 8 * 8;
      blocks.push_back(lab::ended_block::create(size, random.word()));
    }
    for (const auto& block : blocks) sum += block.retire();
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t count = options.scaled(sleepers);
  std::counting_semaphore<1000> may_work(options.threads), sleeps(0), wakes(0);
  std::vector<std::uint64_t> sums(count);
  std::vector<std::thread> threads;
  threads.reserve(count);
  for (std::uint64_t number = 0; number < count; ++number) {
    threads.emplace_back([&, number] {
      may_work.acquire();
      sums[number] = work(number);
      may_work.release();
      sleeps.release();
      wakes.acquire();
    });
  }
  for (std::uint64_t i = 0; i < count; ++i) sleeps.acquire();
  std::uint64_t sum = 0;
  for (const std::uint64_t each : sums) sum += each;
  const std::uint64_t before = lab::resident_bytes();
  const int exit_code = lab::finish(sum);
  malloc_trim(0);
  std::printf("%llu KiB resident, %llu after malloc_trim()\n",
              static_cast<unsigned long long>(before / 1024),
              static_cast<unsigned long long>(lab::resident_bytes() / 1024));
  for (std::uint64_t i = 0; i < count; ++i) wakes.release();
  for (auto& thread : threads) thread.join();
  return exit_code;
}
