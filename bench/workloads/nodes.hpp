// churn-nodes and producer-consumer: nodes of a few sizes, such as those of lists, sets and maps,
// are allocated and deallocated. Each stores its number at both ends.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "support/lanes.hpp"
#include "support/report.hpp"
#include "support/suite.hpp"

namespace bench {

/// The sizes of nodes of list<int>, set<int>, map<int, string> and of a larger one.
inline constexpr std::uint32_t node_sizes[] = {24, 40, 72, 120};

struct node {
  std::byte* block;
  std::uint32_t bytes;
  std::uint32_t number;
};

template <class Blocks>
[[gnu::always_inline]] inline node make_node(Blocks& blocks, std::uint32_t bytes,
                                             std::uint32_t number) {
  auto* const block = static_cast<std::byte*>(blocks.allocate(bytes));
  std::memcpy(block, &number, sizeof number);
  std::memcpy(block + bytes - sizeof number, &number, sizeof number);
  return {block, bytes, number};
}

template <class Blocks>
[[gnu::always_inline]] inline void end_node(Blocks& blocks, const node& one) {
  std::uint32_t first;
  std::uint32_t last;
  std::memcpy(&first, one.block, sizeof first);
  std::memcpy(&last, one.block + one.bytes - sizeof last, sizeof last);
  expect(first == one.number && last == one.number, "a node changed while it was in use");
  blocks.deallocate(one.block, one.bytes);
}

/// The steps, drawn beforehand: a random number costs as much as an allocation.
struct churn_step {
  std::uint32_t slot;
  std::uint32_t bytes;
};

class churn_script {
 public:
  static constexpr std::uint32_t slots = 4096;

  churn_script(std::uint64_t seed, std::size_t steps) : steps_(steps) {
    for (churn_step& each : steps_) {
      const std::uint64_t drawn = mix(++seed * 0x9e3779b97f4a7c15u);
      each = {static_cast<std::uint32_t>(drawn % slots), node_sizes[drawn >> 62]};
    }
  }

  std::span<const churn_step> steps() const { return steps_; }

 private:
  std::vector<churn_step> steps_;
};

/// The nodes of one thread: each step replaces one of them.
template <class Blocks>
class churn_lane {
 public:
  churn_lane(Blocks& blocks, const churn_script& script)
      : blocks_(blocks), script_(script), live_(churn_script::slots) {
    for (std::uint32_t i = 0; i < churn_script::slots; ++i)
      live_[i] = make_node(blocks_, node_sizes[i % 4], i);
  }

  [[gnu::noinline]] void run() {
    std::uint32_t number = 0;
    for (const churn_step& step : script_.steps()) {
      node& replaced = live_[step.slot];
      end_node(blocks_, replaced);
      replaced = make_node(blocks_, step.bytes, ++number);
    }
  }

  [[gnu::noinline]] void end() {
    for (const node& each : live_) end_node(blocks_, each);
  }

 private:
  Blocks& blocks_;
  const churn_script& script_;
  std::vector<node> live_;
};

template <class Contender>
void run_churn(const request& wanted, report& report) {
  const std::size_t steps = wanted.choose(4'000'000, 1'000'000, 20'000);
  const std::size_t of_lane = steps / wanted.threads;
  typename Contender::blocks blocks;
  lanes all(wanted.threads, 2);
  all.run([&](unsigned number) {
    const churn_script script(number, of_lane);
    churn_lane lane(blocks, script);
    all.timed(0, [&] { lane.run(); });  // a warm-up
    all.timed(1, [&] { lane.run(); });
    lane.end();
  });
  report.value("wall_s", "threads", wanted.threads, all.seconds(1));
  report.answer(of_lane);
}

/// Full batches between a producer and its consumer: at most `most` at a time.
class batch_queue {
 public:
  using batch = std::vector<node>;

  void put(batch full) {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return batches_.size() < most; });
    batches_.push_back(std::move(full));
    changed_.notify_one();
  }

  batch take() {
    std::unique_lock guard(lock_);
    changed_.wait(guard, [this] { return !batches_.empty(); });
    batch taken = std::move(batches_.front());
    batches_.pop_front();
    changed_.notify_one();
    return taken;
  }

 private:
  static constexpr std::size_t most = 16;

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<batch> batches_;
};

inline constexpr std::uint32_t batch_nodes = 1024;

template <class Blocks>
[[gnu::noinline]] batch_queue::batch produce(Blocks& blocks, std::uint32_t first) {
  batch_queue::batch made(batch_nodes);
  for (std::uint32_t i = 0; i < batch_nodes; ++i)
    made[i] = make_node(blocks, node_sizes[i % 4], first + i);
  return made;
}

template <class Blocks>
[[gnu::noinline]] void consume(Blocks& blocks, const batch_queue::batch& taken) {
  for (const node& each : taken) end_node(blocks, each);
}

/// With one thread, 16 batches wait in a queue; each step adds one and takes one.
template <class Blocks>
void run_line(Blocks& blocks, std::deque<batch_queue::batch>& line, std::size_t batches) {
  for (std::size_t i = 0; i < batches; ++i) {
    line.push_back(produce(blocks, static_cast<std::uint32_t>(i)));
    if (line.size() <= 16) continue;
    consume(blocks, line.front());
    line.pop_front();
  }
}

/// Threads in pairs: one allocates, the other deallocates.
template <class Contender>
void run_producer_consumer(const request& wanted, report& report) {
  const std::size_t batches = wanted.choose(2000, 500, 40);
  const unsigned pairs = wanted.threads / 2;
  typename Contender::blocks blocks;
  std::vector<batch_queue> queues(pairs);
  lanes all(wanted.threads, 2);
  all.run([&](unsigned number) {
    std::deque<batch_queue::batch> line;
    // The first phase is a warm-up.
    for (const unsigned phase : {0U, 1U}) {
      all.timed(phase, [&] {
        if (pairs == 0) return run_line(blocks, line, batches);
        batch_queue& queue = queues[number / 2];
        for (std::size_t i = 0; i < batches / pairs; ++i) {
          if (number % 2 == 0)
            queue.put(produce(blocks, static_cast<std::uint32_t>(i)));
          else
            consume(blocks, queue.take());
        }
      });
    }
    for (const batch_queue::batch& each : line) consume(blocks, each);
  });
  report.value("wall_s", "threads", wanted.threads, all.seconds(1));
  report.answer(batches);
}

template <class Contender>
void add_node_entries(std::vector<entry>& all, const std::vector<unsigned>& threads) {
  all.push_back(make_entry<Contender>("churn-nodes", threads, run_churn<Contender>));
  all.push_back(
      make_entry<Contender>("producer-consumer", threads, run_producer_consumer<Contender>));
}

}  // namespace bench
