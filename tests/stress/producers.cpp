// Producers allocate, consumers free: batches cross threads through a bounded queue.
//
// Memory must not pile up on the way home: the heap's peak stays in proportion to what was live.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "heapsmith/heapsmith.h"
#include "stress.hpp"

namespace {

using stress::header;

constexpr std::size_t queue_batches = 16;
constexpr std::size_t batch_blocks = 100;
constexpr std::size_t pairs = 2;
/// Small, several of a slab's slices, multi-slice, large: one size a phase, so that a phase's slabs
/// are of no use to the next until they are wholly back.
constexpr std::size_t phase_bytes[] = {32, 64, 400, 2000, 9000, 20 << 10, 32 << 10, 100 << 10};

struct batch {
  header* blocks[batch_blocks] = {};
};

class queue {
 public:
  void put(const batch& b) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return used_ < queue_batches; });
    batches_[(first_ + used_++) % queue_batches] = b;
    changed_.notify_all();
  }
  batch take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return used_ != 0; });
    const batch b = batches_[first_];
    first_ = (first_ + 1) % queue_batches;
    --used_;
    changed_.notify_all();
    return b;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  batch batches_[queue_batches];
  std::size_t first_ = 0, used_ = 0;
};

std::size_t batches_of(std::size_t bytes) {
  return stress::scaled(bytes > 4096 ? 40 : 400);
}

void produce(queue& q, std::uint64_t seed, std::size_t bytes) {
  stress::random r(seed);
  for (std::size_t n = batches_of(bytes); n-- > 0;) {
    batch b;
    for (header*& h : b.blocks) {
      h = stress::fill(hs_malloc(bytes), bytes, r.next());
      if (r.one_in(16)) {  // some never leave their thread
        destroy(h);
        h = nullptr;
      }
    }
    q.put(b);
  }
}

void consume(queue& q, std::size_t bytes) {
  for (std::size_t n = batches_of(bytes); n-- > 0;) {
    const batch b = q.take();
    for (header* h : b.blocks)
      if (h != nullptr) destroy(h);
  }
}

void round(std::uint64_t seed) {
  for (const std::size_t bytes : phase_bytes) {
    queue queues[pairs];
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < pairs; ++i) {
      threads.emplace_back([&, i] { produce(queues[i], seed + i, bytes); });
      threads.emplace_back([&, i] { consume(queues[i], bytes); });
    }
    for (std::thread& t : threads) t.join();
    stress::require_empty(0);
  }
  // Live at most: the queue, one batch being made and one being freed, for each pair.
  const std::size_t live = pairs * (queue_batches + 2) * batch_blocks * (112 << 10);
  hs_statistics s = {};
  s.size = sizeof s;
  hs_stats(&s);
  if (s.peak_bytes > live / 2 * 3 + (16 << 20))
    stress::fail("the peak was %zu bytes for at most %zu live ones", s.peak_bytes, live);
}

}  // namespace

int main() {
  return stress::run(round);
}
