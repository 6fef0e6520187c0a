// Workload private-tables: each thread replaces random blocks of a table of its own.
//
// Idea: Larson and Krishnan, "Memory allocation for long-running server applications", ISMM 1998,
// whose threads replace random blocks of an array; here no block ever changes its thread, and the
// blocks are as large as buffers, packets, pages and pictures. Threads that share nothing should
// cost each other nothing, and a class of which one block more is needed should not need a search.

#include "workload.hpp"

namespace {

constexpr double replacements = 12e6;

std::uint64_t replace_at_random(unsigned lane, std::size_t blocks, std::uint32_t largest,
                                std::uint64_t steps) {
  const std::uint32_t smallest = largest / 32;
  lab::random_source random(lane);
  const auto create = [&] {
    return lab::ended_block::create(smallest + random.below(largest - smallest), random.word());
  };
  std::vector<lab::ended_block> table(blocks);
  for (lab::ended_block& slot : table) slot = create();
  std::uint64_t sum = 0;
  for (; steps != 0; --steps) {
    lab::ended_block& slot = table[random.below(static_cast<std::uint32_t>(blocks))];
    sum += slot.retire();
    slot = create();
  }
  for (const lab::ended_block& slot : table) sum += slot.retire();
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  lab::own_option largest = {"--largest-kib", 1024, 32};
  lab::own_option blocks = {"--blocks", 1'000'000, 300, &largest};
  const lab::options options = lab::parse_options(argc, argv, {}, &blocks);
  const std::uint64_t steps = options.scaled(replacements) / options.threads;
  const auto largest_bytes = static_cast<std::uint32_t>(largest.value * 1024);
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    return replace_at_random(lane, blocks.value, largest_bytes, steps);
  }));
}
