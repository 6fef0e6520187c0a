// Single calls of many threads: a program of the suite `latency`.
//
// usage: latency-threads CALLS [--threads N] [--quick]     --quick: a fiftieth of the calls
//
// CALLS is their number in all threads together. Each step of a thread frees a block and allocates
// another, chosen at random; of eight blocks one is exchanged with other threads, which free it.
// Now and then a thread frees all it has, so that memory is given back. Every call is timed. The
// quantiles are those of all calls of all threads.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "support/measure.hpp"
#include "support/random.hpp"
#include "support/report.hpp"

namespace {

constexpr std::size_t slots = 2'000;         // of a thread
constexpr std::size_t exchange_slots = 256;  // of all threads
constexpr std::size_t steps_until_fall = 40'000;

// Counts of values: exact below 128, with 64 steps for each doubling beyond.
class histogram {
 public:
  void add(std::uint64_t value) { ++counts_[place(value)]; }

  void add_all(const histogram& other) {
    for (std::size_t i = 0; i < places; ++i) counts_[i] += other.counts_[i];
  }

  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts_) sum += count;
    return sum;
  }

  // The least value that so many thousandths of the values do not exceed.
  std::uint64_t quantile(std::uint64_t thousandths) const {
    std::uint64_t left = (total() - 1) * thousandths / 1000;
    std::size_t i = 0;
    while (counts_[i] <= left) left -= counts_[i++];
    return value(i);
  }

 private:
  static constexpr std::size_t places = 128 + 64 * 57;

  static std::size_t place(std::uint64_t value) {
    if (value < 128) return value;
    const auto shift = static_cast<std::size_t>(std::bit_width(value)) - 7;
    return 64 * shift + (value >> shift);
  }

  static std::uint64_t value(std::size_t place) {
    if (place < 128) return place;
    const std::size_t shift = place / 64 - 1;
    return (std::uint64_t{place} - 64 * shift) << shift;
  }

  std::uint64_t counts_[places] = {};
};

// A block begins with its size and ends with the complement of that.
std::atomic<void*> exchanged[exchange_slots];

class worker {
 public:
  explicit worker(std::uint64_t seed) : random_(seed), nothing_(bench::ticks_of_nothing()) {}

  void run(std::size_t steps) {
    for (std::size_t step = 0; step < steps; ++step) {
      if (step % steps_until_fall == steps_until_fall - 1) release_all();
      void*& slot = blocks_[random_.below(slots)];
      release(slot);
      slot = allocate();
      if (random_.below(8) != 0) continue;
      // release pairs with the acquire of the thread that frees the block and reads what is in it.
      slot = exchanged[random_.below(exchange_slots)].exchange(slot, std::memory_order_acq_rel);
    }
    release_all();
  }

  void release(void*& block) {
    if (block == nullptr) return;
    std::uint64_t size = 0, complement = 0;
    std::memcpy(&size, block, 8);
    std::memcpy(&complement, static_cast<char*>(block) + size - 8, 8);
    bench::expect(complement == ~size, "a block changed while it was in use");
    ended_ += bench::mix(size);
    timed([&] { std::free(block); });
    block = nullptr;
  }

  const histogram& times() const { return times_; }
  std::uint64_t begun() const { return begun_; }
  std::uint64_t ended() const { return ended_; }

 private:
  void release_all() {
    for (void*& block : blocks_) release(block);
  }

  // Most blocks are small; one in a thousand has 40 to 400 KB.
  std::size_t some_size() {
    if (random_.below(1000) == 0) return 40'000 + random_.below(360'000);
    const double rank = static_cast<double>(random_.below(4096)) / 4096;
    return static_cast<std::size_t>(16 / (1 - rank * (1 - 16.0 / 32768)));
  }

  void* allocate() {
    const std::uint64_t size = some_size();
    void* block = nullptr;
    timed([&] { block = std::malloc(size); });
    bench::expect(block != nullptr, "malloc returned no block");
    for (std::size_t at = 0; at < size; at += 4096) static_cast<char*>(block)[at] = 1;
    std::memcpy(block, &size, 8);
    const std::uint64_t complement = ~size;
    std::memcpy(static_cast<char*>(block) + size - 8, &complement, 8);
    begun_ += bench::mix(size);
    return block;
  }

  template <class Call>
  void timed(Call call) {
    const std::uint64_t before = bench::ticks();
    call();
    const std::uint64_t taken = bench::ticks() - before;
    times_.add(taken - std::min(taken, nothing_));
  }

  bench::random_words random_;
  std::uint64_t nothing_;
  void* blocks_[slots] = {};
  histogram times_;
  std::uint64_t begun_ = 0, ended_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t calls = 0, threads = 1, divisor = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--quick") {
      divisor = 50;
    } else if (word == "--threads" && i + 1 < argc) {
      threads = bench::number(argv[++i]);
    } else {
      calls = bench::number(word);
    }
  }
  bench::expect(calls != 0, "usage: latency-threads CALLS [--threads N] [--quick]");
  const std::size_t steps = calls / divisor / threads / 2;
  std::vector<std::unique_ptr<worker>> workers;
  for (std::size_t i = 0; i < threads; ++i) workers.push_back(std::make_unique<worker>(i + 1));
  const double begin_s = bench::seconds_now();
  const std::uint64_t begin = bench::ticks();
  std::vector<std::thread> running;
  for (auto& one : workers) running.emplace_back([&one, steps] { one->run(steps); });
  for (std::thread& one : running) one.join();
  const double ns_per_tick =
      (bench::seconds_now() - begin_s) * 1e9 / static_cast<double>(bench::ticks() - begin);
  // Blocks that no thread took.
  for (auto& one : exchanged) {
    void* block = one.exchange(nullptr, std::memory_order_acquire);
    workers[0]->release(block);
  }
  histogram all;
  std::uint64_t begun = 0, ended = 0;
  for (const auto& one : workers) {
    all.add_all(one->times());
    begun += one->begun();
    ended += one->ended();
  }
  bench::expect(begun == ended, "blocks were lost");
  const auto print = [&](const char* metric, std::uint64_t thousandths) {
    std::printf("value %s %.9g\n", metric,
                ns_per_tick * static_cast<double>(all.quantile(thousandths)));
  };
  print("p50_ns", 500);
  print("p99_ns", 990);
  print("p999_ns", 999);
  bench::report report;
  report.answer(ended);
  report.finish();
  return 0;
}
