// The suite `scale`: how the cost of a call and the memory of a block grow with the number of live
// blocks, of threads, and of threads that came and went.
//
// usage: scale [--threads N] blocks COUNT STEPS    one thread keeps COUNT blocks
//        scale [--threads N] threads STEPS         N threads keep 1,000 blocks each
//        scale churn COUNT                         COUNT threads, one after the other
//
// Each step frees one block, chosen at random, and allocates another one. Processor time is
// measured, so that waiting for a processor does not count.
#include <pthread.h>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "support/measure.hpp"
#include "support/random.hpp"
#include "support/report.hpp"
#include "support/resident.hpp"

namespace {

constexpr std::size_t blocks_of_a_thread = 1000;
constexpr std::size_t blocks_of_a_guest = 64;    // of a thread that comes and goes
constexpr std::size_t blocks_left_behind = 16;   // by each of them, for its successor to free
constexpr std::size_t fewest_calls = 1'000'000;  // for a phase that is timed

// Blocks of 16 to 128 bytes. The first and the last word hold what the pointer's place and the size
// say, so a block that overlaps another one changes one of them.
class slots {
 public:
  slots(std::span<void*> places, std::uint64_t seed) : places_(places), random_(seed) {}

  void fill() {
    for (std::size_t i = 0; i < places_.size(); ++i) allocate(i);
  }

  void replace(std::uint64_t steps) {
    for (; steps != 0; --steps) {
      const std::size_t i = random_.below(places_.size());
      release(i);
      allocate(i);
    }
  }

  void end() {
    for (std::size_t i = 0; i < places_.size(); ++i) release(i);
  }

  // Of all blocks that were ever allocated.
  std::uint64_t requested_bytes() const { return requested_; }
  std::uint64_t answer() const { return answer_; }

  static std::size_t check_and_free(void* p) {
    std::uint64_t first = 0, last = 0;
    std::memcpy(&first, p, 8);
    const std::size_t size = first & 0xff;
    bench::expect(size >= 16 && size <= 128, "a block's size changed while it was in use");
    std::memcpy(&last, static_cast<char*>(p) + size - 8, 8);
    bench::expect(last == ~first, "a block changed while it was in use");
    std::free(p);
    return size;
  }

 private:
  void allocate(std::size_t i) {
    const std::uint64_t word = random_.word();
    const std::size_t size = 16 * (1 + (word >> 61));
    void* p = std::malloc(size);
    bench::expect(p != nullptr, "malloc returned no block");
    const std::uint64_t first = (word << 8) | size, last = ~first;
    std::memcpy(p, &first, 8);
    std::memcpy(static_cast<char*>(p) + size - 8, &last, 8);
    requested_ += size;
    places_[i] = p;
  }

  void release(std::size_t i) { answer_ += check_and_free(places_[i]); }

  std::span<void*> places_;
  bench::random_words random_;
  std::uint64_t requested_ = 0;
  std::uint64_t answer_ = 0;
};

void print(const char* metric, double value) {
  std::printf("value %s %.9g\n", metric, value);
}

void print_memory(std::uint64_t before, std::uint64_t requested) {
  const std::uint64_t now = bench::resident_bytes();
  const double held = static_cast<double>(now - std::min(now, before));
  print("rss_per_byte", held / static_cast<double>(requested));
}

void run_blocks(std::size_t count, std::size_t steps, bench::report& report) {
  bench::mapped_array<void*> places(count);
  slots all(places.all(), count);
  const std::uint64_t before = bench::resident_bytes();
  all.fill();
  print_memory(before, all.requested_bytes());
  all.replace(steps / 10);  // the first steps find what filling left
  double begin = bench::processor_seconds();
  all.replace(steps);
  print("call_ns", (bench::processor_seconds() - begin) * 1e9 / static_cast<double>(2 * steps));
  all.end();

  // Few blocks are filled and freed many times.
  const std::size_t rounds = std::max<std::size_t>(1, fewest_calls / count);
  double filling = 0, ending = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    begin = bench::processor_seconds();
    all.fill();
    const double middle = bench::processor_seconds();
    all.end();
    filling += middle - begin;
    ending += bench::processor_seconds() - middle;
  }
  const double calls = static_cast<double>(rounds * count);
  print("alloc_ns", filling * 1e9 / calls);
  print("destroy_ns", ending * 1e9 / calls);
  report.answer(all.answer());
}

void run_threads(std::size_t threads, std::size_t steps, bench::report& report) {
  bench::mapped_array<void*> places(threads * blocks_of_a_thread);
  std::vector<slots> each;
  each.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    each.emplace_back(places.all().subspan(i * blocks_of_a_thread, blocks_of_a_thread), i);
  }
  const std::size_t steps_of_each = steps / threads;
  std::barrier<> gate(static_cast<std::ptrdiff_t>(threads + 1));
  std::vector<std::thread> running;
  running.reserve(threads);
  for (slots& own : each) {
    running.emplace_back([&gate, &own, steps_of_each] {
      gate.arrive_and_wait();
      gate.arrive_and_wait();
      own.fill();
      gate.arrive_and_wait();
      gate.arrive_and_wait();
      own.replace(steps_of_each);
      gate.arrive_and_wait();
      own.end();
    });
  }
  gate.arrive_and_wait();  // all threads are there
  const std::uint64_t before = bench::resident_bytes();
  gate.arrive_and_wait();
  gate.arrive_and_wait();  // all are filled
  std::uint64_t requested = 0;
  for (const slots& own : each) requested += own.requested_bytes();
  print_memory(before, requested);
  const double begin = bench::processor_seconds();
  gate.arrive_and_wait();
  gate.arrive_and_wait();  // all have replaced their blocks
  const double calls = static_cast<double>(2 * steps_of_each * threads);
  print("call_ns", (bench::processor_seconds() - begin) * 1e9 / calls);
  for (std::thread& one : running) one.join();
  for (const slots& own : each) report.answer(own.answer());
}

// A guest frees what its predecessor left, and leaves some blocks itself.
struct guest {
  std::span<void*> left;
  std::uint64_t number = 0;
  std::uint64_t answer = 0;
};

void* visit(void* argument) {
  guest& self = *static_cast<guest*>(argument);
  void* places[blocks_of_a_guest];
  slots own(places, self.number);
  own.fill();
  for (void*& p : self.left) {
    if (p != nullptr) self.answer += slots::check_and_free(p);
  }
  for (std::size_t i = 0; i < blocks_of_a_guest; ++i) {
    if (i < blocks_left_behind) {
      self.left[i] = places[i];
    } else {
      self.answer += slots::check_and_free(places[i]);
    }
  }
  return nullptr;
}

void run_churn(std::size_t count, bench::report& report) {
  void* left[blocks_left_behind] = {};
  guest current{left};
  const double begin = bench::processor_seconds();
  for (std::size_t i = 0; i < count; ++i) {
    current.number = i;
    pthread_t thread;
    bench::expect(pthread_create(&thread, nullptr, visit, &current) == 0, "no thread");
    pthread_join(thread, nullptr);
  }
  const double calls = static_cast<double>(2 * blocks_of_a_guest * count);
  print("call_ns", (bench::processor_seconds() - begin) * 1e9 / calls);
  for (void* p : left) current.answer += slots::check_and_free(p);
  report.answer(current.answer);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  std::size_t threads = 1;
  if (words.size() >= 2 && words[0] == "--threads") {
    threads = bench::number(words[1]);
    words.erase(words.begin(), words.begin() + 2);
  }
  bench::report report;
  if (words.size() == 3 && words[0] == "blocks") {
    run_blocks(bench::number(words[1]), bench::number(words[2]), report);
  } else if (words.size() == 2 && words[0] == "threads") {
    run_threads(threads, bench::number(words[1]), report);
  } else if (words.size() == 2 && words[0] == "churn") {
    run_churn(bench::number(words[1]), report);
  } else {
    std::fputs("usage: scale [--threads N] blocks COUNT STEPS | threads STEPS | churn COUNT\n",
               stderr);
    return 2;
  }
  report.finish();
  return 0;
}
