// The record of one slice: 128 bytes, out of band, found from an address by arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/remote_word.hpp"
#include "base/size_classes.hpp"

namespace heapsmith {

struct thread_heap;
namespace spans {
struct account;
}

/// Tells owners of slabs apart: the thread pointer of the heap's thread, which the fast path has at
/// hand without loading its heap, or the address of a heap that serves many threads. A sub-heap's
/// token is its address with a bit set, so that it can be told from all others and followed.
using owner_token = std::uintptr_t;
inline constexpr owner_token nobody_owns = 0;
inline constexpr owner_token vanished_owns = 2;  // its thread is not in this forked child
inline constexpr owner_token sub_heap_bit = 1;

enum class slice_kind : std::uint8_t {
  none,      // free, or inside a large block: no block starts here that anybody may free
  slab,      // first slice of a slab
  interior,  // a further slice of a slab; `back` leads to the first
  large,     // first slice of a large block
};

/// Line 0 is all that malloc and a local free touch; line 1 is for other threads and slow paths.
/// Records of a free span are all `none`; `owner` of every slice but a slab's first is null.
struct alignas(128) slab {
  // Who may free here without a read-modify-write; nobody_owns when only the remote word may be
  // used. Written by whoever has the slab to itself: the owner, or who took it off a stack. Others
  // only compare it with themselves, which any stale value answers right.
  atomic<owner_token> owner{nobody_owns};
  block* free = nullptr;        // blocks ready for malloc, most recently freed first
  std::uint32_t countdown = 0;  // local frees until the engine wants to know
  std::uint32_t later = 0;      // blocks in use == countdown + later, unless current
  // Blocks cut so far; the rest of the slab was not touched. Final while the slab is disowned;
  // relaxed, because other threads read it before that only for a hint.
  atomic<std::uint32_t> carved{0};
  std::uint32_t capacity = 0;  // blocks there is room for
  class_index size_class = 0;
  slice_kind kind = slice_kind::none;
  std::uint8_t bin = 0;      // the occupancy bin it lies in; see heap/bins.hpp
  std::uint32_t slices = 0;  // length of the span
  slab* next = nullptr;      // neighbours in the bin
  slab* previous = nullptr;
  // See freed_mark(). Written by whoever has the slab to itself, before it hands out what it
  // collected; relaxed, because the hand-out orders it for the next free of the same block.
  atomic<std::uint64_t> generation{0};

  alignas(64) remote_word remote;  // what other threads gave back
  // The heap a full slab is posted to. Written as `owner` is; a stale value is only ever a hint.
  atomic<thread_heap*> home{nullptr};
  HS_PLAIN_LINK(slab*) posted_next = nullptr;  // link in that heap's stack of posted slabs
  char* start = nullptr;                       // address of the first block
  std::uint32_t back = 0;                      // interior: slices back to the first
  // Of a span that is held for an account, and of that one's other spans: written under the spans'
  // lock. Null in every other record.
  spans::account* account = nullptr;
  slab* account_next = nullptr;
  slab* account_previous = nullptr;
};
static_assert(sizeof(slab) == 128);

}  // namespace heapsmith
