// Workload handed-over: one thread replaces blocks, and another one frees what was replaced.
//
// Idea: servers that free in the background, as Redis does with lazyfree and as RCU and epochs of
// lock-free tables do. The thread that frees never allocates, and the order of its frees has
// nothing to do with that of the blocks in memory. An allocator that only counts such blocks takes
// new memory while the old is full of holes.

#include <atomic>

#include "workload.hpp"

namespace {

constexpr std::uint32_t block_bytes = 592, blocks_per_task = 500;
constexpr double replacements_per_task = 125e3;

// A bounded queue from one thread to another. Both yield while it is full, or empty.
class handover {
 public:
  void put(const lab::sealed_block& block) {
    const std::uint64_t at = end_.load(std::memory_order_relaxed);
    while (at - begin_.load(std::memory_order_acquire) == capacity) std::this_thread::yield();
    ring_[at % capacity] = block;
    end_.store(at + 1, std::memory_order_release);
  }

  lab::sealed_block take() {
    const std::uint64_t at = begin_.load(std::memory_order_relaxed);
    while (at == end_.load(std::memory_order_acquire)) std::this_thread::yield();
    const lab::sealed_block block = ring_[at % capacity];
    begin_.store(at + 1, std::memory_order_release);
    return block;
  }

 private:
  static constexpr std::uint64_t capacity = 1024;
  std::vector<lab::sealed_block> ring_ = std::vector<lab::sealed_block>(capacity);
  std::atomic<std::uint64_t> begin_{0}, end_{0};
};

void replace_all(lab::random_source& random, std::vector<lab::sealed_block>& blocks,
                 std::uint64_t replacements, handover& to) {
  for (; replacements != 0; --replacements) {
    lab::sealed_block& replaced = blocks[random.below(blocks_per_task)];
    to.put(replaced);
    replaced = lab::sealed_block::create(block_bytes, random.word());
  }
}

std::uint64_t free_all(std::uint64_t blocks, handover& from) {
  std::uint64_t sum = 0;
  for (; blocks != 0; --blocks) {
    const lab::sealed_block block = from.take();
    sum += block.verify();
    std::free(block.data);
  }
  return sum;
}

// The tasks of a lane are served in turns, so that all their blocks are alive together.
std::uint64_t serve(unsigned lane, unsigned lanes, const lab::options& options) {
  constexpr unsigned turns = 10;
  const std::uint64_t replacements = options.scaled(replacements_per_task / turns);
  std::vector<std::vector<lab::sealed_block>> tables;
  std::vector<lab::random_source> randoms;
  for (unsigned task = lane; task < lab::task_count; task += lanes) {
    lab::random_source random(task);
    auto& table = tables.emplace_back(blocks_per_task);
    for (auto& block : table) block = lab::sealed_block::create(block_bytes, random.word());
    randoms.push_back(random);
  }
  handover queue;
  std::uint64_t sum = 0;
  std::thread reclaimer([&] { sum = free_all(replacements * turns * tables.size(), queue); });
  for (unsigned turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < tables.size(); ++i)
      replace_all(randoms[i], tables[i], replacements, queue);
  reclaimer.join();
  for (const auto& table : tables) sum += lab::retire(table);
  return sum;
}

}  // namespace

// Each lane has two threads; one thread more if their number is odd.
int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const unsigned lanes = (options.threads + 1) / 2;
  return lab::finish(
      lab::run_lanes(lanes, [&](unsigned lane) { return serve(lane, lanes, options); }));
}
