// The word through which threads give blocks back to a slab they do not own.
//
// clang-format off
//   state    flags                meaning
//   owned    0                    the owner allocates from the slab and polls the word
//   full     disowned             no block is free, no thread owns the slab
//   posted   disowned | posted    blocks came back to a full slab; it lies on its home heap's stack
//
//              disown              push               collect
//     owned -----------> full --------------> posted -----------> owned, by the taker
//      | ^                |                      ^
//      | +----- reown ----+                      |
//      +---------------- publish ----------------+    its heap is left
// clang-format on
//
// The blocks wait in a list threaded through their first words: the word holds the first block (in
// units of 16 bytes from the slab's start) and their number, so that one compare-and-swap takes a
// whole batch, and the push that brings the number to the slab's capacity knows the slab is empty.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "slabs/block.hpp"

namespace heapsmith {

class remote_word {
 public:
  struct pushed {
    std::uint32_t count;  // blocks waiting now, this batch included
    bool disowned;        // the slab was full: `count` says how much of it is back
    bool must_post;       // this push made it posted: the caller puts it on its home's stack
  };

  /// Any thread: adds a batch of blocks of the slab that starts at `base`.
  pushed push(char* base, const block_batch& batch) {
    std::uint64_t seen = word_.load(relaxed);  // a guess; the exchange below checks it
    std::uint64_t next;
    do {
      batch.last->next = first_of(base, seen);
      next = (offset_of(base, batch.first)) | (count_bits(seen) + batch.count * count_one) |
             (seen & flag_mask) | ((seen & disowned_bit) << posted_shift);
      // release pairs with the acquire in collect(): the thread that takes the list sees its links.
      // acquire pairs with disown() and earlier pushes: the push that completes a slab hands its
      // memory on, after everything the owner and the other threads did to it.
    } while (!word_.compare_exchange_weak(seen, next, acq_rel, relaxed));
    return {static_cast<std::uint32_t>(count_bits(next) / count_one), (next & disowned_bit) != 0,
            (next & ~seen & posted_bit) != 0};
  }

  /// The owner, or the thread that took the slab off a stack: takes all waiting blocks; the slab is
  /// owned.
  block_list collect(char* base) {
    if (word_.load(relaxed) == 0) return {};  // nothing waits; a push that races is seen next time
    // acquire pairs with push(): the links of the list. No release: the caller owns the slab.
    const std::uint64_t seen = word_.exchange(0, acquire);
    return {first_of(base, seen), static_cast<std::uint32_t>(count_bits(seen) / count_one)};
  }

  /// The owner, with no free block left: owned → full. False when blocks wait: collect them
  /// instead.
  bool disown() {
    std::uint64_t expected = 0;
    // release pairs with the acquire in push(): the record's fields are final for the finisher.
    return word_.compare_exchange_strong(expected, disowned_bit, release, relaxed);
  }

  /// The owner, leaving: owned → posted, with the slab's free blocks as if they had come back. The
  /// caller puts the slab on a stack. False when blocks wait: collect them first.
  bool publish(char* base, const block_list& free_blocks) {
    std::uint64_t expected = 0;
    const std::uint64_t next = offset_of(base, free_blocks.first) | free_blocks.count * count_one |
                               disowned_bit | posted_bit;
    // release as in disown(), and for the links of the list, which pair with collect().
    return word_.compare_exchange_strong(expected, next, release, relaxed);
  }

  /// The home heap's thread: full → owned. False when blocks came back: the slab is posted.
  bool reown() {
    std::uint64_t expected = disowned_bit;
    // acquire pairs with disown(): since this thread disowned it, another may have taken it, filled
    // it and disowned it again.
    return word_.compare_exchange_strong(expected, 0, acquire, relaxed);
  }

  /// How many blocks wait. A hint, but exact for the thread that took a finished slab off a stack.
  std::uint32_t waiting() const {
    // acquire pairs with push(): a thread that finds all blocks back here hands the memory on.
    return static_cast<std::uint32_t>(count_bits(word_.load(acquire)) / count_one);
  }

  bool is_disowned() const { return (word_.load(relaxed) & disowned_bit) != 0; }  // own slabs only

  /// A slab being set up, which no other thread can know.
  void reset() { word_.store(0, relaxed); }

 private:
  static constexpr std::uint64_t count_one = std::uint64_t{1} << 16;
  static constexpr std::uint64_t disowned_bit = std::uint64_t{1} << 32;
  static constexpr unsigned posted_shift = 1;
  static constexpr std::uint64_t posted_bit = disowned_bit << posted_shift;
  static constexpr std::uint64_t flag_mask = disowned_bit | posted_bit;

  static std::uint64_t count_bits(std::uint64_t word) { return word & (count_one * 0xffff); }

  static std::uint64_t offset_of(char* base, block* b) {
    return static_cast<std::uint64_t>(reinterpret_cast<char*>(b) - base) / 16;
  }

  static block* first_of(char* base, std::uint64_t word) {
    if (count_bits(word) == 0) return nullptr;
    return reinterpret_cast<block*>(base + (word & (count_one - 1)) * 16);
  }

  atomic<std::uint64_t> word_{0};
};

}  // namespace heapsmith
