// The fast path of first-class heaps: that of malloc_path.hpp, by way of the thread's sub-heap.
//
// docs/paths/heap.md follows one call through it.
#pragma once

#include "heap/malloc_path.hpp"
#include "threads/sub_heaps.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

// Null and errno ENOMEM when out of memory, or when the heap's limit is reached.
[[gnu::noinline, gnu::cold]] void* allocate_in_slow(first_class_heap& f, std::size_t bytes);
[[gnu::noinline]] void* allocate_in_any(first_class_heap& f, std::size_t bytes);  // as below
void* allocate_zeroed_in(first_class_heap& f, std::size_t bytes);
void* allocate_aligned_in(first_class_heap& f, std::size_t bytes, std::size_t align);

/// Pops a block from the current slab of the class in this thread's sub-heap.
[[gnu::always_inline]] inline void* allocate_in(first_class_heap& f, std::size_t bytes) {
  const remembered_sub_heap& known = remembered_in(*t_heap, f);
  if (known.id != f.id) [[unlikely]]
    return allocate_in_slow(f, bytes);
  slab* s;
  if (bytes <= direct_max) [[likely]]
    s = known.sub->direct[direct_slot(bytes)];
  else if (bytes <= slab_block_max)
    s = known.sub->current[class_of(bytes)];
  else
    return allocate_in_slow(f, bytes);

  block* b = s->free;
  if (b == nullptr) [[unlikely]]
    return allocate_in_slow(f, bytes);
  return pop(s, b);
}

/// Pushes a block of any first-class heap on its own slab, if a sub-heap of this thread owns the
/// slab; all other blocks take the slow path. The slab's owner names the sub-heap, and that names
/// the thread it serves: no search, however many heaps there are.
[[gnu::always_inline]] inline void deallocate_in(void* p) {
  const spans::range& range = spans::ranges[0];
  const std::size_t i = spans::slice_of(range, p);
  if (!spans::is_slice(range, i)) [[unlikely]]
    return free_own_slow(p);
  slab* s = slab_in(range.records + i);
  const owner_token owner = s->owner.load(relaxed);  // relaxed: as in deallocate()
  if ((owner & sub_heap_bit) == 0) [[unlikely]]
    return free_own_slow(p);
  const auto* sub = reinterpret_cast<const thread_heap*>(owner - sub_heap_bit);
  // relaxed: if it is this thread, this thread wrote it. No sub-heap's memory is ever given back.
  if (sub->thread.load(relaxed) != os::thread_token()) [[unlikely]]
    return free_own_slow(p);

  block* b = static_cast<block*>(p);
  if (b == s->free) [[unlikely]]
    return free_own_slow(p);  // freed twice in a row
  b->next = s->free;
  s->free = b;
  if (--s->countdown == 0) [[unlikely]]
    free_event(s);
}

}  // namespace heapsmith
