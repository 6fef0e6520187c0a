// Plays the steps of a script on a contender and checks every block it gets back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "contender.hpp"
#include "script.hpp"
#include "support/report.hpp"

namespace bench {

// The part of a block that is written and later compared.
enum class marks {
  // The first word only, in a cache line that any program touches: for timing.
  light,
  // A word at every 16th byte, and one at the end if bytes remain: for checking. Blocks are aligned
  // to 16, and of two that overlap one begins inside the other, so the later write changes a word
  // of the other.
  full,
};

// Does nothing around a call of the contender.
struct plainly {
  template <class Call>
  void operator()(Call call) const {
    call();
  }
};

class player {
 public:
  player(contender& played, std::size_t slots) : contender_(&played), slots_(slots) {}

  // `around` gets every call of the contender, makes it and may measure it.
  template <marks Marks, class Around = plainly>
  void play(std::span<const step> steps, Around&& around = {}) {
    for (const step& each : steps) {
      if (each.size == 0) {
        deallocate<Marks>(slots_[each.slot], around);
      } else {
        allocate<Marks>(slots_[each.slot], each.size, around);
      }
    }
  }

  // Deallocates the remaining blocks and compares everything written to them.
  void end() {
    for (held& slot : slots_) deallocate<marks::full>(slot, plainly{});
  }

  // The number of requests that the contender could not serve.
  std::uint64_t refused() const { return refused_; }

  // The sum of the words found in blocks when they were deallocated. A refused block counts as if
  // it had existed, so that all contenders give the same answer.
  std::uint64_t answer() const { return answer_; }

  std::uint64_t live_bytes() const {
    std::uint64_t sum = 0;
    for (const held& slot : slots_) sum += slot.data == nullptr ? 0 : slot.size;
    return sum;
  }

 private:
  struct held {
    std::byte* data = nullptr;  // null: none, or refused
    std::uint32_t size = 0;     // 0: none
    bool marked_in_full = false;
    std::uint64_t word = 0;
  };

  template <marks Marks, class Around>
  void allocate(held& slot, std::uint32_t size, Around&& around) {
    void* block = nullptr;
    around([&] { block = allocate_from(*contender_, size); });
    slot = {static_cast<std::byte*>(block), size, Marks == marks::full,
            (++serial_ | 1u << 31) * 0x9e3779b97f4a7c15u};
    if (block == nullptr) {
      ++refused_;
      return;
    }
    expect(reinterpret_cast<std::uintptr_t>(block) % 16 == 0, "a block is not aligned to 16");
    std::memcpy(slot.data, &slot.word, sizeof slot.word);
    if constexpr (Marks == marks::full) {
      for_each_place(slot, [&](std::byte* at) { std::memcpy(at, &slot.word, sizeof slot.word); });
    }
  }

  template <marks Marks, class Around>
  void deallocate(held& slot, Around&& around) {
    answer_ += slot.word;
    if (slot.data != nullptr) {
      expect(first_word(slot) == slot.word, "a block changed while it was in use");
      if (Marks == marks::full && slot.marked_in_full) compare(slot);
      around([&] { deallocate_to(*contender_, slot.data, slot.size); });
    }
    slot = {};
  }

  static std::uint64_t first_word(const held& slot) {
    std::uint64_t word;
    std::memcpy(&word, slot.data, sizeof word);
    return word;
  }

  static void compare(const held& slot) {
    std::uint64_t difference = 0;
    for_each_place(slot, [&](const std::byte* at) {
      std::uint64_t found;
      std::memcpy(&found, at, sizeof found);
      difference |= found ^ slot.word;
    });
    expect(difference == 0, "a block changed while it was in use");
  }

  template <class Visit>
  static void for_each_place(const held& slot, Visit visit) {
    const std::size_t last = slot.size - sizeof slot.word;
    for (std::size_t at = 0; at <= last; at += 16) visit(slot.data + at);
    // Less than eight bytes behind a word are in the 16 that the word speaks for.
    if (last % 16 >= 8) visit(slot.data + last);
  }

  contender* contender_;
  std::vector<held> slots_;
  std::uint64_t serial_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t answer_ = 0;
};

}  // namespace bench
