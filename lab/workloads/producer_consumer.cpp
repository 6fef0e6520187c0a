// Workload producer-consumer: batches of messages are allocated by some threads, freed by others.
//
// Idea: the producer-consumer pattern by which Berger, McKinley, Blumofe and Wilson define blowup
// ("Hoard: a scalable memory allocator for multithreaded applications", ASPLOS 2000), and the split
// into purely allocating and purely freeing threads used in Kuszmaul, "SuperMalloc: a super fast
// multithreaded malloc for 64-bit machines", ISMM 2015. A thread that frees messages never
// allocates one, so an allocator must carry memory back in batches, or grow without end.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "workload.hpp"

namespace {

constexpr unsigned messages_per_batch = 400;
constexpr unsigned queue_capacity = 32;
constexpr double batch_count = 18e3;

using batch = std::vector<lab::sealed_block>;

// The contents of a batch depend only on its number, not on the thread or time that makes it.
batch produce(std::uint64_t number) {
  lab::random_source random(number);
  batch made(messages_per_batch);
  for (auto& message : made) {
    // Mostly small records, every eighth message with a larger body.
    const std::uint64_t word = random.word();
    const std::uint64_t mask = word >> 61 == 0 ? 1023 : 63;
    const auto size = 16 + static_cast<std::uint32_t>(word >> 32 & mask);
    message = lab::sealed_block::create(size, word);
  }
  return made;
}

std::uint64_t consume(batch received) {
  return lab::retire(received);
}

// A bounded queue of batches. The ring is allocated once, so it adds no allocations of its own.
class batch_queue {
 public:
  void put(batch sent) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return count_ < queue_capacity; });
    ring_[(first_ + count_++) % queue_capacity] = std::move(sent);
    lock.unlock();
    not_empty_.notify_one();
  }

  // Returns false if the queue is closed and empty.
  bool take(batch& received) {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return count_ != 0 || closed_; });
    if (count_ == 0) return false;
    received = std::move(ring_[first_]);
    first_ = (first_ + 1) % queue_capacity;
    --count_;
    lock.unlock();
    not_full_.notify_one();
    return true;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable not_full_;
  std::condition_variable not_empty_;
  batch ring_[queue_capacity];
  unsigned first_ = 0;
  unsigned count_ = 0;
  bool closed_ = false;
};

std::uint64_t run_alone(std::uint64_t batches) {
  std::vector<batch> pending(queue_capacity);
  std::uint64_t sum = 0;
  for (std::uint64_t first = 0; first < batches; first += queue_capacity) {
    const std::uint64_t count = std::min<std::uint64_t>(queue_capacity, batches - first);
    for (std::uint64_t i = 0; i < count; ++i) pending[i] = produce(first + i);
    for (std::uint64_t i = 0; i < count; ++i) sum += consume(std::move(pending[i]));
  }
  return sum;
}

std::uint64_t run_split(std::uint64_t batches, unsigned threads) {
  const unsigned producers = threads / 2;
  batch_queue queue;
  std::atomic<std::uint64_t> next{0};  // counts only; the queue's mutex orders the batches
  std::atomic<unsigned> working{producers};
  return lab::run_lanes(threads, [&](unsigned lane) {
    std::uint64_t sum = 0;
    if (lane < producers) {
      for (;;) {
        const std::uint64_t number = next.fetch_add(1, std::memory_order_relaxed);
        if (number >= batches) break;
        queue.put(produce(number));
      }
      if (working.fetch_sub(1, std::memory_order_relaxed) == 1) queue.close();
    } else {
      for (batch received; queue.take(received);) sum += consume(std::move(received));
    }
    return sum;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t batches = options.scaled(batch_count);
  return lab::finish(options.threads == 1 ? run_alone(batches)
                                          : run_split(batches, options.threads));
}
