// The table of the blocks that a replay holds. A thread that frees another's block waits for it
// here.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "parking.hpp"

namespace heapsmith::replayer {

class slot_table {
 public:
  /// A word has 48 bits of an address, and 16 bits that count the slot's blocks. All are 0 at
  /// first.
  void place(void* words) { words_ = static_cast<atomic<std::uint64_t>*>(words); }

  /// Returns: the block in a slot of this thread, or null.
  void* get(std::uint64_t slot) const { return address(words_[slot].load(relaxed)); }

  /// Effects: keeps a new block in a slot of this thread.
  void hold(std::uint64_t slot, void* p) {
    const std::uint64_t turn = (words_[slot].load(relaxed) >> address_bits) + 1;
    // release pairs with take(): another thread that frees the block sees what was written to it.
    words_[slot].store(turn << address_bits | reinterpret_cast<std::uint64_t>(p), release);
    waiting_.wake(key(slot, turn, true));
  }

  /// Effects: empties a slot of this thread. Returns: its block.
  void* end(std::uint64_t slot) {
    const std::uint64_t word = words_[slot].load(relaxed);
    // The slot is empty at the end of a pass. Nobody waits for that, so it is relaxed.
    words_[slot].store(word & ~address_mask, relaxed);
    return address(word);
  }

  /// Effects: waits until another thread has emptied a slot of this one. Returns: the counts of the
  /// clock that it waited.
  std::uint64_t await_empty(std::uint64_t slot) {
    // acquire pairs with take(): the block that was there is given up.
    const std::uint64_t word = words_[slot].load(acquire);
    if ((word & address_mask) == 0) [[likely]]
      return 0;
    return waiting_.wait(key(slot, word >> address_bits, false),
                         [&] { return (words_[slot].load(acquire) & address_mask) == 0; });
  }

  /// Effects: waits for the block that another thread holds in `slot` as its `turn`th, and empties
  /// the slot. Returns: the block; adds the counts of the clock that it waited to `waited`.
  void* take(std::uint64_t slot, std::uint64_t turn, std::uint64_t& waited) {
    std::uint64_t word = 0;
    const auto is_there = [&] {
      word = words_[slot].load(acquire);  // pairs with hold()
      return word >> address_bits == turn && (word & address_mask) != 0;
    };
    if (!is_there()) waited += waiting_.wait(key(slot, turn, true), is_there);
    words_[slot].store(turn << address_bits, release);  // pairs with await_empty()
    waiting_.wake(key(slot, turn, false));
    return address(word);
  }

  /// Effects: forgets what was in a slot. Requires: no other thread runs.
  void reset(std::uint64_t slot) { words_[slot].store(0, relaxed); }

 private:
  static constexpr unsigned address_bits = 48;
  static constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;

  static void* address(std::uint64_t word) { return reinterpret_cast<void*>(word & address_mask); }

  /// Of the wait until the block that a slot has in this turn is there, or is gone.
  static std::uint64_t key(std::uint64_t slot, std::uint64_t turn, bool there) {
    return slot << 17 | (turn & 0xFFFF) << 1 | static_cast<std::uint64_t>(there);
  }

  atomic<std::uint64_t>* words_ = nullptr;
  parking_lot waiting_{parking_lot::until_a_look};
};

}  // namespace heapsmith::replayer
