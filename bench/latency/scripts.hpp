// The scripts of the suite `latency`: fixed sequences of calls, the same in every run.
#pragma once

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "support/random.hpp"
#include "support/report.hpp"
#include "support/resident.hpp"

namespace bench {

// How many steps a script takes.
struct script_length {
  std::size_t slots;
  std::size_t steps;
  unsigned rounds;
};

// The blocks that a script holds. `around(call)` makes and measures each call of the allocator;
// contents are written and checked outside of it.
template <class Around>
class held_blocks {
 public:
  held_blocks(std::size_t slots, Around& around) : blocks_(slots), around_(&around) {}

  bool has(std::size_t slot) { return blocks_[slot].data != nullptr; }

  void allocate(std::size_t slot, std::size_t size) {
    unsigned char* data = nullptr;
    (*around_)([&] { data = static_cast<unsigned char*>(std::malloc(size)); });
    seal(slot, data, size);
  }

  void allocate_zeroed(std::size_t slot, std::size_t size) {
    unsigned char* data = nullptr;
    (*around_)([&] { data = static_cast<unsigned char*>(std::calloc(1, size)); });
    expect(data != nullptr && data[0] == 0 && data[size - 1] == 0, "calloc gave no zeroed block");
    seal(slot, data, size);
  }

  void resize(std::size_t slot, std::size_t size) {
    check(slot);
    unsigned char* data = blocks_[slot].data;
    const unsigned char expected = blocks_[slot].seal;
    (*around_)([&] { data = static_cast<unsigned char*>(std::realloc(data, size)); });
    expect(data != nullptr && data[0] == expected, "realloc lost a block's contents");
    seal(slot, data, size);
  }

  void release(std::size_t slot) {
    check(slot);
    unsigned char* const data = blocks_[slot].data;
    (*around_)([&] { std::free(data); });
    blocks_[slot].data = nullptr;
  }

  void release_all(std::size_t slots) {
    for (std::size_t i = 0; i < slots; ++i) {
      if (has(i)) release(i);
    }
  }

  std::uint64_t answer() const { return answer_; }

 private:
  struct block {
    unsigned char* data;
    std::uint64_t size;
    unsigned char seal;
  };

  static constexpr std::size_t os_page = 4096;

  // The first and the last 16 bytes hold the seal. So does one byte in each OS page, which
  // therefore has memory.
  void seal(std::size_t slot, unsigned char* data, std::size_t size) {
    expect(data != nullptr, "the allocator returned no block");
    const block own = {data, size, static_cast<unsigned char>(1 + ++sealed_ % 255)};
    const std::size_t end = std::min<std::size_t>(16, size);
    std::memset(data, own.seal, end);
    for (std::size_t at = 0; at < size; at += os_page) data[at] = own.seal;
    std::memset(data + size - end, own.seal, end);
    blocks_[slot] = own;
  }

  void check(std::size_t slot) {
    const block& own = blocks_[slot];
    const std::size_t end = std::min<std::size_t>(16, own.size);
    bool is_whole = true;
    for (std::size_t at = 0; at < end; ++at) {
      is_whole = is_whole && own.data[at] == own.seal && own.data[own.size - 1 - at] == own.seal;
    }
    for (std::size_t at = 0; at < own.size; at += os_page) {
      is_whole = is_whole && own.data[at] == own.seal;
    }
    expect(is_whole, "a block changed while it was in use");
    answer_ = mix(answer_ + own.size);
  }

  mapped_array<block> blocks_;
  Around* around_;
  std::uint64_t sealed_ = 0;
  std::uint64_t answer_ = 0;
};

// Blocks of all sizes up to 32 KiB come and go; a few are zeroed or resized.
template <class Around>
std::uint64_t play_mixed(const script_length& length, Around& around) {
  held_blocks blocks(length.slots, around);
  random_words random(1);
  const auto size = [&] {
    const double rank = static_cast<double>(random.below(4096)) / 4096;
    return static_cast<std::size_t>(8 / (1 - rank * (1 - 8.0 / 32768)));
  };
  for (std::size_t i = 0; i < length.steps; ++i) {
    const std::size_t slot = random.below(length.slots);
    const std::uint32_t kind = random.below(16);
    if (!blocks.has(slot)) {
      if (kind == 0) {
        blocks.allocate_zeroed(slot, 8 + random.below(1000));
      } else {
        blocks.allocate(slot, size());
      }
    } else if (kind == 0) {
      blocks.resize(slot, 8 + random.below(1000));
    } else {
      blocks.release(slot);
    }
  }
  blocks.release_all(length.slots);
  return blocks.answer();
}

inline void pause_seconds(double seconds) {
  const timespec time = {static_cast<time_t>(seconds),
                         static_cast<long>(std::fmod(seconds, 1.0) * 1e9)};
  nanosleep(&time, nullptr);
}

// Peaks of blocks of 64 to 256 KiB and of small ones, then little to do: memory is given back.
template <class Around>
std::uint64_t play_peaks(const script_length& length, Around& around) {
  held_blocks blocks(length.slots, around);
  random_words random(2);
  for (unsigned round = 0; round < length.rounds; ++round) {
    for (std::size_t i = 0; i < length.slots; ++i) {
      blocks.allocate(i, i % 8 == 0 ? 65536 + random.below(196608) : 16 + random.below(2000));
    }
    for (std::size_t step = 0; step < length.slots; ++step) {
      const std::size_t slot = step * 7919 % length.slots;
      if (blocks.has(slot)) blocks.release(slot);
    }
    blocks.release_all(length.slots);
    // Longer than the delay after which free memory goes back to the kernel.
    if (round % 2 == 1) pause_seconds(1.2);
    for (std::size_t step = 0; step < length.steps; ++step) {
      const std::size_t slot = random.below(64);
      if (blocks.has(slot)) {
        blocks.release(slot);
      } else {
        blocks.allocate(slot, 16 + random.below(60000));
      }
    }
  }
  blocks.release_all(length.slots);
  return blocks.answer();
}

// Blocks of 40 KB to 2 MB, replaced at random among the holes that others left.
template <class Around>
std::uint64_t play_large(const script_length& length, Around& around) {
  held_blocks blocks(length.slots, around);
  random_words random(3);
  for (std::size_t i = 0; i < length.steps; ++i) {
    const std::size_t slot = random.below(length.slots);
    if (blocks.has(slot)) {
      blocks.release(slot);
    } else {
      const bool is_largest = random.below(16) == 0;
      blocks.allocate(slot, 40'000 + random.below(is_largest ? 2'000'000 : 100'000));
    }
  }
  blocks.release_all(length.slots);
  return blocks.answer();
}

class script {
 public:
  script(std::string_view name, bool is_quick) : name_(name), is_quick_(is_quick) {}

  static bool is_known(std::string_view name) {
    return name == "mixed" || name == "peaks" || name == "large";
  }

  template <class Around>
  std::uint64_t play(Around around) const {
    const auto of = [&](script_length whole, script_length quick) {
      return is_quick_ ? quick : whole;
    };
    if (name_ == "mixed") return play_mixed(of({20'000, 400'000, 0}, {5'000, 60'000, 0}), around);
    if (name_ == "peaks") return play_peaks(of({4'096, 3'000, 6}, {1'024, 1'000, 1}), around);
    return play_large(of({1'000, 40'000, 0}, {200, 5'000, 0}), around);
  }

 private:
  std::string_view name_;
  bool is_quick_;
};

}  // namespace bench
