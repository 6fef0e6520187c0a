// Shared by every workload: options, random numbers, sealed blocks, lanes and the check line.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>
#include <time.h>
#include <vector>

#include "resident_set.hpp"

namespace lab {

// Work is split into this many tasks, each with its own seed. A thread takes every n-th of them, so
// neither the number of threads nor their timing changes the result. 40 divides evenly by 1, 2, 4,
// 5, 8, 10 and 20 threads.
inline constexpr unsigned task_count = 40;

// Reports the fault and exits at once. After a wrong block nothing can be trusted, least of all
// destructors.
[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "wrong: %s\n", what);
  std::_Exit(1);
}

struct options {
  unsigned threads = 1;
  double scale = 1.0;
  unsigned rest_s = 0;

  // An amount of work at the chosen scale; at least 1.
  std::uint64_t scaled(double amount) const {
    const double wanted = amount * scale;
    return wanted < 1.0 ? 1 : static_cast<std::uint64_t>(wanted);
  }
};

// From the options: how long to rest after the last free.
inline unsigned rest_s = 0;

// An option of one program: a number from 0 to `largest`.
struct own_option {
  const char* name;
  unsigned long largest;
  unsigned long value = 0;
  own_option* next = nullptr;
};

// `chosen` has the defaults. `own` is nullptr if the program has only the common options.
inline options parse_options(int argc, char** argv, options chosen = {},
                             own_option* own = nullptr) {
  bool valid = true;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const char* text = i + 1 < argc ? argv[i + 1] : "";
    char* end = nullptr;
    if (name == "--threads") {
      const unsigned long threads = std::strtoul(text, &end, 10);
      valid = valid && threads >= 1 && threads <= 1000;
      chosen.threads = static_cast<unsigned>(threads);
    } else if (name == "--scale") {
      chosen.scale = std::strtod(text, &end);
      valid = valid && chosen.scale > 0.0 && chosen.scale <= 1000.0;
    } else if (name == "--rest") {
      const unsigned long seconds = std::strtoul(text, &end, 10);
      valid = valid && seconds <= 3600;
      chosen.rest_s = static_cast<unsigned>(seconds);
    } else {
      own_option* o = own;
      while (o != nullptr && name != o->name) o = o->next;
      if (o != nullptr) o->value = std::strtoul(text, &end, 10);
      valid = valid && o != nullptr && o->value <= o->largest;
    }
    valid = valid && end != nullptr && end != text && *end == '\0';
  }
  if (!valid) {
    std::fprintf(stderr, "usage: %s [--threads 1..1000] [--scale 0..1000] [--rest SECONDS]",
                 argv[0]);
    for (const own_option* o = own; o != nullptr; o = o->next)
      std::fprintf(stderr, " [%s 0..%lu]", o->name, o->largest);
    std::fputc('\n', stderr);
    std::exit(2);
  }
  rest_s = chosen.rest_s;
  return chosen;
}

// Spreads the bits of a counter or a seed over the whole word (the finaliser of SplitMix64:
// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(mix(seed + 1)) {}

  std::uint64_t word() { return mix(state_ += 0x9e3779b97f4a7c15u); }

  // Uniform in [0, bound), bound < 2^32.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((word() >> 32) * bound) >> 32);
  }

  // Uniform in [0, 1).
  double unit() { return static_cast<double>(word() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// A block of 8 bytes or more that carries its seal until it is freed: in the first word of every 16
// bytes and in its last word. malloc aligns blocks to 16 bytes. If two blocks overlap, one starts
// inside the other, and its first word lies on a seal of the other. So the block that was sealed
// first has lost a seal.
struct sealed_block {
  unsigned char* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t seal = 0;

  static sealed_block create(std::uint32_t size, std::uint64_t seal) {
    const sealed_block made{static_cast<unsigned char*>(std::malloc(size)), size,
                            static_cast<std::uint32_t>(seal)};
    if (made.data == nullptr) fail("malloc returned no block");
    const std::uint64_t word = made.sealing_word();
    made.for_each_mark([&](std::uint32_t at) { std::memcpy(made.data + at, &word, 8); });
    return made;
  }

  // Exits the program if the block changed. Returns its share of the checksum, read from the block.
  std::uint64_t verify() const {
    const std::uint64_t expected = sealing_word();
    std::uint64_t found = 0;
    std::uint64_t difference = 0;
    for_each_mark([&](std::uint32_t at) {
      std::memcpy(&found, data + at, 8);
      difference |= found ^ expected;
    });
    if (difference != 0) fail("a block's contents changed while it was in use");
    return found + size;
  }

 private:
  std::uint64_t sealing_word() const { return (seal | 1u) * 0x9e3779b97f4a7c15u; }

  // The marks of a short block are visited without a branch that depends on its size. Such a branch
  // is mispredicted half of the time, which would cost as much as malloc.
  template <class Visit>
  void for_each_mark(Visit visit) const {
    const std::uint32_t last = size - 8;
    for (std::uint32_t at = 0; at < 64; at += 16) visit(at + 8 <= last ? at : last);
    for (std::uint32_t at = 64; at + 8 <= last; at += 16) visit(at);
    visit(last);
  }
};

// A block that carries its seal in its first two words and in its last one, for blocks whose middle
// is not touched. A block that overlaps another one has one end inside it, or both of its ends.
struct ended_block {
  unsigned char* data = nullptr;
  std::uint32_t size = 0;
  std::uint64_t seal = 0;

  static ended_block create(std::uint32_t size, std::uint64_t seal) {
    void* const data = std::malloc(size);
    if (data == nullptr) fail("malloc returned no block");
    return seal_at(data, size, seal);
  }

  static ended_block seal_at(void* data, std::uint32_t size, std::uint64_t seal) {
    ended_block made{static_cast<unsigned char*>(data), size, seal};
    std::memcpy(made.data, &seal, 8);
    std::memcpy(made.data + 8, &seal, 8);
    std::memcpy(made.data + size - 8, &seal, 8);
    // Hides where the pointer comes from. A compiler that knows it leaves out what retire reads.
    asm volatile("" : "+r"(made.data) : : "memory");
    return made;
  }

  std::uint64_t retire() const {
    std::uint64_t first, second, last;
    std::memcpy(&first, data, 8);
    std::memcpy(&second, data + 8, 8);
    std::memcpy(&last, data + size - 8, 8);
    if (first != seal || second != seal || last != seal)
      fail("a block's contents changed while it was in use");
    std::free(data);
    return first + size;
  }
};

// Verifies all blocks first, so that their cache misses overlap, then frees all.
inline std::uint64_t retire(std::span<const sealed_block> blocks) {
  std::uint64_t sum = 0;
  for (const auto& block : blocks) sum += block.verify();
  for (const auto& block : blocks) std::free(block.data);
  return sum;
}

// Runs work(lane) for lanes 0 … threads-1 at the same time and returns the sum of the results. One
// lane runs on the main thread, so that a single-threaded row is a single-threaded process.
template <class Work>
std::uint64_t run_lanes(unsigned threads, Work work) {
  if (threads == 1) return work(0u);
  std::vector<std::uint64_t> sums(threads);
  std::vector<std::thread> lanes;
  lanes.reserve(threads);
  for (unsigned lane = 0; lane < threads; ++lane) {
    lanes.emplace_back([&sums, &work, lane] { sums[lane] = work(lane); });
  }
  std::uint64_t total = 0;
  for (unsigned lane = 0; lane < threads; ++lane) {
    lanes[lane].join();
    total += sums[lane];
  }
  return total;
}

inline std::uint64_t resident_bytes() {
  const std::uint64_t bytes = resident_set_bytes();
  if (bytes == 0) fail("no resident set in /proc/self/smaps_rollup");
  return bytes;
}

// How often a workload that goes on while it rests does some work.
inline constexpr unsigned works_per_second = 100;

// Rests if asked to, and prints the memory that is held then. Calls work() meanwhile.
template <class Work>
void rest(Work work) {
  if (rest_s == 0) return;
  const timespec time = {0, 1'000'000'000 / works_per_second};
  for (unsigned i = 0; i < rest_s * works_per_second; ++i) {
    work();
    nanosleep(&time, nullptr);
  }
  const std::uint64_t held = resident_bytes();
  std::printf("value rss_idle_bytes %llu\n", static_cast<unsigned long long>(held));
}

// The end of a workload: all that it allocated is free. `work` is done while it rests.
template <class Work>
int finish(std::uint64_t checksum, Work work) {
  rest(work);
  return std::printf("check %016llx\n", static_cast<unsigned long long>(checksum)) > 0 ? 0 : 1;
}
inline int finish(std::uint64_t checksum) {
  return finish(checksum, [] {});
}

}  // namespace lab
