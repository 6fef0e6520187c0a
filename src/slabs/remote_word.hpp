// The word through which threads give blocks back to a slab they do not own.
//
// clang-format off
//   state    flags               meaning
//   owned    0                   the owner allocates from the slab and polls the word
//   reported listed              the same; enough came back: it lies on its heap's stack `reported`
//   full     disowned            no block is free, no thread owns the slab
//   posted   disowned | listed   enough came back: it lies on its heap's stack `posted`
//
//             disown          push, claim          collect
//     owned -----------> full ------------> posted --------> owned, by the collector
//       | |                                   ^ ^
//       | +------------- publish -------------+ |    its heap is left
//       |     push              publish         |
//       +----------> reported ------------------+    it lies on `reported` all the same
//                       |
//                       +--------> owned
//                         collect
// clang-format on
//
// The blocks wait in a list threaded through their first words: the word holds the first and last
// (in units of 16 bytes from the slab's start) and their number. So one compare-and-swap takes a
// batch, the push that completes a slab knows it, and the owner joins the list to its own at once.
//
// A listed slab is on a stack, or its pusher is about to put it there: until somebody takes it off,
// it can neither end nor change its stack.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "slabs/block.hpp"

namespace heapsmith {

class remote_word {
  static constexpr std::uint64_t count_one = std::uint64_t{1} << 16;
  static constexpr std::uint64_t disowned_bit = std::uint64_t{1} << 32;
  static constexpr std::uint64_t listed_bit = disowned_bit << 1;
  static constexpr std::uint64_t flag_mask = disowned_bit | listed_bit;
  static constexpr unsigned last_shift = 48;

 public:
  struct pushed {
    std::uint32_t count;  // blocks waiting now, this batch included
    bool disowned;        // the slab was full: `count` says how much of it is back
    bool must_list;       // this push made it listed: the caller puts it on its home's stack
  };

  /// Any thread: adds a batch of blocks of the slab that starts at `base`. The slab becomes listed
  /// when `enough` blocks wait.
  pushed push(char* base, const block_batch& batch, std::uint32_t enough) {
    std::uint64_t seen = word_.load(relaxed);  // a guess; the exchange below checks it
    std::uint64_t next;
    do {
      batch.last->next = first_of(base, seen);
      const std::uint64_t count = count_bits(seen) + batch.count * count_one;
      const std::uint64_t last = count_bits(seen) == 0 ? offset_of(base, batch.last) << last_shift
                                                       : seen >> last_shift << last_shift;
      next = offset_of(base, batch.first) | last | count | (seen & flag_mask) |
             (count >= enough * count_one ? listed_bit : 0);
      // release pairs with the acquire in collect(): the thread that takes the list sees its links.
      // acquire pairs with disown() and earlier pushes: the push that completes a slab hands its
      // memory on, after everything the owner and the other threads did to it.
    } while (!word_.compare_exchange_weak(seen, next, acq_rel, relaxed));
    return {static_cast<std::uint32_t>(count_bits(next) / count_one), (next & disowned_bit) != 0,
            (next & ~seen & listed_bit) != 0};
  }

  /// Who takes the blocks. The value says which flags stay.
  enum class taken : std::uint64_t { by_owner = flag_mask, off_a_stack = 0 };

  /// Takes all waiting blocks; of those that publish() left there, `last` says nothing. The owner's
  /// slab stays listed if it is. One that the caller took off a stack, or claimed, is owned now.
  block_batch collect(char* base, taken how) {
    std::uint64_t seen = word_.load(relaxed), left;  // a push that races is seen next time
    do {
      left = seen & static_cast<std::uint64_t>(how);
      if (left == seen) return {};
      // acquire pairs with push(): the links of the list. release pairs with the acquire there: the
      // push that makes the slab listed again knows its new home.
    } while (!word_.compare_exchange_weak(seen, left, acq_rel, relaxed));
    return {first_of(base, seen), block_at(base, seen >> last_shift),
            static_cast<std::uint32_t>(count_bits(seen) / count_one)};
  }

  /// The owner, with no free block left: owned → full. False when blocks wait, which it collects
  /// instead, or when the slab is listed.
  bool disown() {
    std::uint64_t expected = 0;
    // release pairs with the acquire in push(): the record's fields are final for the finisher.
    return word_.compare_exchange_strong(expected, disowned_bit, release, relaxed);
  }

  /// The owner, leaving: owned → posted, with the slab's free blocks as if they had come back, or
  /// owned → full if it has none, or reported → posted. False when blocks wait: collect them first.
  /// `must_list`: the caller puts the slab on a stack, as for push().
  bool publish(char* base, const block_list& free_blocks, bool& must_list) {
    std::uint64_t seen = word_.load(relaxed);
    if (count_bits(seen) != 0) return false;
    std::uint64_t next = seen | disowned_bit;
    if (free_blocks.count != 0)
      next |= offset_of(base, free_blocks.first) | free_blocks.count * count_one | listed_bit;
    must_list = (next & ~seen & listed_bit) != 0;
    // release as in disown(), and for the links of the list, which pair with collect().
    return word_.compare_exchange_strong(seen, next, release, relaxed);
  }

  /// The home heap's thread: full → posted, as if taken off a stack already. False when the slab is
  /// posted.
  bool claim() {
    std::uint64_t seen = word_.load(relaxed);
    // acquire pairs with disown(): since this thread disowned it, another may have taken it, filled
    // it and disowned it again.
    while ((seen & flag_mask) == disowned_bit)
      if (word_.compare_exchange_weak(seen, seen | listed_bit, acquire, relaxed)) return true;
    return false;
  }

  /// Whether a slab that the caller took off a stack is posted and has all its blocks back. Of one
  /// that is reported, false.
  bool is_finished(std::uint32_t carved) const {
    // acquire pairs with push() and publish(): the caller hands the memory on.
    const std::uint64_t seen = word_.load(acquire);
    return (seen & disowned_bit) != 0 && count_bits(seen) == carved * count_one;
  }

  /// How many blocks wait. A hint: who acts on it collects the blocks.
  std::uint32_t waiting() const {
    return static_cast<std::uint32_t>(count_bits(word_.load(relaxed)) / count_one);
  }

  bool is_disowned() const { return (word_.load(relaxed) & disowned_bit) != 0; }  // own slabs only

  /// Own slabs only. A slab that a push makes listed now is seen next time.
  bool is_listed() const { return (word_.load(relaxed) & listed_bit) != 0; }

  /// A slab being set up, which no other thread can know.
  void reset() { word_.store(0, relaxed); }

 private:
  static std::uint64_t count_bits(std::uint64_t word) { return word & (count_one * 0xffff); }

  static std::uint64_t offset_of(char* base, block* b) {
    return static_cast<std::uint64_t>(reinterpret_cast<char*>(b) - base) / 16;
  }

  static block* first_of(char* base, std::uint64_t word) {
    if (count_bits(word) == 0) return nullptr;
    return block_at(base, word & (count_one - 1));
  }

  static block* block_at(char* base, std::uint64_t offset) {
    return reinterpret_cast<block*>(base + offset * 16);
  }

  atomic<std::uint64_t> word_{0};
};

}  // namespace heapsmith
