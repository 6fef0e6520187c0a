// The short path of blocks that other threads allocated: free leaves them in a list of this thread,
// and malloc takes them from there. docs/paths/remote_free.md follows one block.
#pragma once

#include <utility>

#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// Sends a batch home that has a block.
[[gnu::noinline]] void send_batch(block* first, outgoing_batch& out, thread_heap& h);

/// The batch that a slab's blocks join, among a heap's few.
[[gnu::always_inline]] inline outgoing_batch& outgoing_for(thread_heap& h, const slab* s) {
  return *reinterpret_cast<outgoing_batch*>(reinterpret_cast<char*>(h.outgoing) + s->outgoing_at);
}

/// Whether a carved block starts at `p`, which lies in the first slice of `s`.
[[gnu::always_inline]] inline bool is_block_start(const slab* s, const void* p,
                                                  const std::uint32_t& inverse) {
  // relaxed: the block was carved before it was handed out, and the hand-out reached this thread.
  return is_below(index_if_start(inverse, offset_in_slice(p)), s->carved);
}

/// Takes one of the borrowed blocks, of which there is one.
[[gnu::always_inline]] inline block* pop_borrowed(borrowed_blocks& kept) {
  block* b = kept.first;
  kept.first = b->next;
  ++kept.room;
  b->mark = 0;  // it is in use again: its next free is its first
  return b;
}

/// Marks a block of `s`, which lies in the first slice, as freed. False: that needs a closer look.
[[gnu::always_inline]] inline bool mark_quickly(const thread_heap& h, const slab* s, block* b,
                                                const std::uint32_t& inverse) {
  if (h.busy || !is_block_start(s, b, inverse)) [[unlikely]]
    return false;
  const std::uintptr_t mark = freed_mark(b, s->generation.load(relaxed));
  if (b->mark == mark) [[unlikely]]
    return false;  // freed twice
  b->mark = mark;
  return true;
}

/// Whether threads cache the blocks of the slab `s`, or of the slab of which `s` is a slice.
inline bool is_cached_by_threads(const slab* s) {
  return middle_count != 0 && s->borrow_slot > first_middle;
}

/// Takes one of the blocks of the middle class `c` that the thread caches, or returns null.
[[gnu::always_inline]] inline block* pop_cached(thread_heap& h, std::size_t c) {
  block*& list = h.cached[c - first_middle];
  block* const b = list;
  if (b == nullptr) [[unlikely]]
    return nullptr;
  list = b->next;
  h.budget.note_allocated(class_table[c].bytes);
  b->mark = 0;  // it is in use again: its next free is its first
  return b;
}

/// Frees a middle block into the thread's cache, if all is as usual; false if nothing was done.
/// `at` is in the record of the block's slice.
[[gnu::always_inline]] inline bool free_middle_quickly(thread_heap& h, slab* at, block* b) {
  const slab* const s = slab_in(record_of(at) - at->back);
  const std::size_t c = at->borrow_slot - 1u;
  const class_info& info = class_table[c];
  const auto offset = static_cast<std::uint32_t>(reinterpret_cast<char*>(b) - s->start);
  // relaxed: as in is_block_start(). A thread without a heap has no room.
  if (!h.budget.has_room(info.bytes) || h.busy ||
      index_if_start(info.inverse, offset) >= s->carved.load(relaxed)) [[unlikely]]
    return false;
  const std::uintptr_t mark = freed_mark(b, s->generation.load(relaxed));
  if (b->mark == mark) [[unlikely]]
    return false;  // freed twice
  b->mark = mark;
  b->next = std::exchange(h.cached[c - first_middle], b);
  h.budget.note_freed(info.bytes);
  return true;
}

/// Frees a middle block, or one of another thread's slab; false if nothing was done. For the thread
/// of `h`; `s` is in the record of the block's slice, be it a slab's or not.
///
/// A batch that waits for `s` proves that `s` is a slab of another thread and of no first-class
/// heap: it was when its first block joined, and it cannot end before the batch is sent. Otherwise
/// `borrow_slot` tells: it is 0 in all records but those, and nothing has room there.
[[gnu::always_inline]] inline bool free_elsewhere_quickly(thread_heap& h, slab* s, block* b) {
  outgoing_batch& out = outgoing_for(h, s);
  if (out.to == s) {
    if (!mark_quickly(h, s, b, out.inverse)) return false;
    b->next = out.first;
    out.first = b;
    if (--out.room == 0) [[unlikely]]
      send_batch(b, out, h);
    return true;
  }
  if (is_cached_by_threads(s)) return free_middle_quickly(h, s, b);
  borrowed_blocks& kept = h.borrowed[s->borrow_slot];
  // relaxed: only this thread writes its own heap here.
  if (kept.room == 0 || s->home.load(relaxed) == &h || !mark_quickly(h, s, b, kept.inverse))
    return false;
  b->next = kept.first;
  kept.first = b;
  --kept.room;
  return true;
}

/// A borrowed block that fits where the slab `s` served, or null. `s` may be no_slab.
[[gnu::always_inline]] inline block* pop_borrowed_quickly(thread_heap& h, const slab* s) {
  borrowed_blocks& kept = h.borrowed[s->borrow_slot];
  return kept.first == nullptr || h.busy ? nullptr : pop_borrowed(kept);
}

}  // namespace heapsmith
