// advice-malloc-idle: four threads compute, and allocate about a thousand blocks in all. Blocks
// change threads as in advice-malloc, but another malloc must not be the advice: there is no time
// to win in so few calls.

#include "advice.hpp"

namespace {

using lab::advice::hidden;

constexpr unsigned thread_count = 4;
constexpr double steps_per_block = 170e3;
constexpr unsigned blocks_per_task = 25;
constexpr std::uint32_t largest = 40;  // in words

struct block {
  std::uint64_t* words = nullptr;
  std::uint32_t count = 0;
};

using task = std::vector<block>;

// The lane makes and fills the blocks of a task.
void fill(task& empty, unsigned number, std::uint64_t steps) {
  lab::random_source random(number);
  for (block& each : empty) {
    each.count = 1 + random.below(largest);
    each.words = hidden(static_cast<std::uint64_t*>(std::malloc(each.count * 8)));
    std::uint64_t value = random.word();
    for (std::uint64_t i = 0; i < steps; ++i) value = lab::mix(value + i);
    for (std::uint32_t i = 0; i < each.count; ++i) each.words[i] = value + i;
  }
}

// Another lane reads and frees them.
std::uint64_t drain(task& full) {
  std::uint64_t sum = 0;
  for (block& each : full) {
    for (std::uint32_t i = 0; i < each.count; ++i) sum = sum * 3 + each.words[i];
    std::free(each.words);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv, {.threads = thread_count});
  const std::uint64_t steps = options.scaled(steps_per_block);
  std::vector<task> tasks(lab::task_count, task(blocks_per_task));
  lab::run_lanes(options.threads, [&](unsigned lane) {
    for (unsigned n = lane; n < lab::task_count; n += options.threads) fill(tasks[n], n, steps);
    return 0;
  });
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    std::uint64_t sum = 0;
    for (unsigned n = 0; n < lab::task_count; ++n) {
      if ((n + 1) % options.threads == lane) sum += drain(tasks[n]);
    }
    return sum;
  }));
}
