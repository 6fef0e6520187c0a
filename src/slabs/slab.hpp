// A slab: a run of slices cut into blocks of one size class, as the records of its slices describe
// it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/size_classes.hpp"
#include "slabs/block.hpp"
#include "slabs/remote_word.hpp"
#include "spans/record.hpp"

namespace heapsmith {

struct thread_heap;

/// Tells owners of slabs apart: the thread pointer of the heap's thread, which the fast path has at
/// hand without loading its heap, or the address of a heap that serves many threads. A sub-heap's
/// token is its address with a bit set, so that it differs from all others and can be followed.
using owner_token = std::uintptr_t;
inline constexpr owner_token nobody_owns = 0;
inline constexpr owner_token vanished_owns = 2;  // its thread is not in this forked child
inline constexpr owner_token sub_heap_bit = 1;

enum class slice_kind : std::uint8_t {
  none,      // free, or inside a large block: no block starts here
  slab,      // first slice of a slab
  interior,  // a further slice of a slab; `back` leads to the first
  large,     // first slice of a large block
};

/// The heap's part of a slice's record. Of a slab it is all in use; of a large block only `kind`
/// and `start`, beside the notes of heap/large_block.hpp; of a further slice of a slab `kind` and
/// `back`; of a free slice `kind` is `none`. `owner` is nobody_owns in all but the first slice of a
/// slab.
///
/// Line 0 is all that malloc and a local free touch; line 1 is for other threads and slow paths.
struct slab {
  // Where debug information has them; see spans/range.hpp.
  static constexpr owner_token bit_of_sub_heaps = sub_heap_bit, token_of_vanished = vanished_owns;

  // The thread that may free here without a read-modify-write; nobody_owns when only the remote
  // word may be used. Written by the one thread that has the slab to itself: the owner, or the
  // thread that took it off a stack. Others only compare it with themselves, and any stale value
  // gives the right answer.
  atomic<owner_token> owner{nobody_owns};
  plain<block*> free = nullptr;  // blocks ready for malloc, most recently freed first
  // Until free_event(): a local free counts it down, malloc counts it up. In an owned slab,
  // blocks in use == countdown + later, modulo 2^32.
  plain<std::uint32_t> countdown = 0;
  plain<std::uint32_t> later = 0;
  // Blocks cut so far; the rest of the slab was not touched. Final while the slab is disowned;
  // relaxed, because other threads read it before that only for a hint.
  atomic<std::uint32_t> carved{0};
  plain<std::uint32_t> capacity = 0;  // blocks there is room for
  plain<class_index> size_class = 0;
  plain<slice_kind> kind = slice_kind::none;
  plain<std::uint8_t> bin = 0;  // the occupancy bin it lies in; see slabs/bins.hpp
  // In the first slice of a slab of no first-class heap, and in each slice of a middle one, its
  // class + 1, else 0; see thread_heap::borrowed and cached.
  plain<std::uint8_t> borrow_slot = 0;
  // In the first slice: where a thread gathers blocks of it that go home, as an offset in bytes in
  // its thread_heap::outgoing. Any other record has 0, or what it had as a slab's.
  plain<std::uint16_t> outgoing_at = 0;
  plain<std::uint16_t> back = 0;  // slices back to the first one of the slab
  slab* next = nullptr;           // neighbours in the bin
  slab* previous = nullptr;
  // See freed_mark(). Written by the one thread that has the slab to itself, before it hands out
  // what it collected; relaxed, because the hand-out orders it for the next free of the same block.
  atomic<std::uint64_t> generation{0};

  remote_word remote;  // what other threads gave back
  // The heap whose stack a listed slab goes to. Written as `owner` is, before the slab is owned:
  // the push that lists it reads the right one. Elsewhere a stale value is only ever a hint.
  atomic<thread_heap*> home{nullptr};
  plain<slab*> posted_next = nullptr;  // link in that heap's stack of posted slabs
  plain<char*> start = nullptr;        // address of the first block
};
static_assert(sizeof(slab) == sizeof(spans::record::engine) && alignof(slab) == 8);
static_assert(offsetof(slab, owner) == 0 && offsetof(slab, free) == 8 &&
              offsetof(slab, countdown) == 16 && offsetof(slab, generation) == 56 &&
              offsetof(slab, remote) == 64 && offsetof(slab, start) == 88);

/// The heap's part of a record, and the record that a slab is part of.
[[gnu::always_inline]] inline slab* slab_in(spans::record* r) {
  return reinterpret_cast<slab*>(r->engine);
}
[[gnu::always_inline]] inline const slab* slab_in(const spans::record* r) {
  return reinterpret_cast<const slab*>(r->engine);
}
[[gnu::always_inline]] inline spans::record* record_of(slab* s) {
  return reinterpret_cast<spans::record*>(s);
}
[[gnu::always_inline]] inline const spans::record* record_of(const slab* s) {
  return reinterpret_cast<const spans::record*>(s);
}

/// The blocks of an owned slab that are neither on its list nor uncut. Those that wait on the
/// remote word count as in use.
inline std::uint32_t blocks_in_use(const slab* s) {
  return s->countdown + s->later;
}

/// Takes `b`, the first block of the list, off the list.
[[gnu::always_inline]] inline block* pop(slab* s, block* b) {
  s->free = b->next;
  ++s->countdown;
#if defined(__x86_64__)
  asm("" : "+a"(b));  // where malloc returns it: GCC would move it there at the end
#endif
  if (b == nullptr) __builtin_unreachable();
  return b;
}

inline slice_kind kind_of(const spans::record* r) {
  return slab_in(r)->kind;
}

}  // namespace heapsmith
