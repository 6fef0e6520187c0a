// Workload inherited-blocks: the main thread allocates what request threads replace.
//
// Idea: Larson and Krishnan, "Memory allocation for long-running server applications", ISMM 1998,
// whose server fills its tables in the main thread before it serves. Afterwards the main thread
// only waits. Request threads replace blocks of the tables at random, and when one ends, another
// goes on with its tables. So a block's slab belongs to a thread that allocates nothing any more,
// until the allocator gives that memory to the threads that do.

#include <memory>

#include "workload.hpp"

namespace {

constexpr std::uint32_t blocks_per_table = 1000;
constexpr double replacements_per_table = 120e3;
constexpr unsigned generations = 10;

class table {
 public:
  explicit table(unsigned number) : random_(number), blocks_(blocks_per_table) {
    for (auto& each : blocks_) each = make();
  }

  std::uint64_t serve(std::uint64_t replacements) {
    std::uint64_t sum = 0;
    for (; replacements != 0; --replacements) {
      lab::sealed_block& replaced = blocks_[random_.below(blocks_per_table)];
      sum += replaced.verify();
      std::free(replaced.data);
      replaced = make();
    }
    return sum;
  }

  std::uint64_t end() { return lab::retire(blocks_); }

 private:
  // 10 to 1,000 bytes, as that server's blocks.
  lab::sealed_block make() {
    const std::uint64_t word = random_.word();
    return lab::sealed_block::create(10 + static_cast<std::uint32_t>(word >> 32) % 991, word);
  }

  lab::random_source random_;
  std::vector<lab::sealed_block> blocks_;
};

using tables = std::vector<std::unique_ptr<table>>;

// Serves in one thread after another.
std::uint64_t serve(const tables& all, unsigned lane, const lab::options& options) {
  const std::uint64_t replacements = options.scaled(replacements_per_table / generations);
  std::uint64_t sum = 0;
  for (unsigned generation = 0; generation < generations; ++generation) {
    std::thread([&] {
      for (unsigned n = lane; n < lab::task_count; n += options.threads)
        sum += all[n]->serve(replacements);
    }).join();
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  tables all;
  for (unsigned n = 0; n < lab::task_count; ++n) all.push_back(std::make_unique<table>(n));
  std::uint64_t sum =
      lab::run_lanes(options.threads, [&](unsigned lane) { return serve(all, lane, options); });
  for (auto& each : all) sum += each->end();
  return lab::finish(sum);
}
