// The whole fast path of malloc and free. All other code is slow, and is called by name.
//
// docs/paths/malloc.md and docs/paths/free.md follow one call through it.
#pragma once

#include "base/size_classes.hpp"
#include "os/os.hpp"
#include "slabs/slabs.hpp"
#include "slabs/thread_heap.hpp"
#include "spans/range.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

// Null and errno ENOMEM when out of memory.
[[gnu::noinline]] void* allocate_slow(std::size_t bytes, slab* exhausted);
[[gnu::noinline]] void* allocate_middle(std::size_t bytes);  // more than direct_max
[[gnu::noinline, gnu::cold]] void* allocate_large(std::size_t bytes);
[[gnu::noinline, gnu::cold]] void free_slow(void* p);
[[gnu::noinline, gnu::cold]] void free_own_slow(void* p);  // aborts unless the block is ours
[[gnu::noinline]] void free_elsewhere(void* p, slab* s);   // `s`: what its slice's record says
// free_event() is in slabs/slabs.hpp.

/// Pops a block from the class's current slab.
[[gnu::always_inline]] inline void* allocate(std::size_t bytes) {
  if (bytes > direct_max) [[unlikely]]
    return bytes <= cached_block_max ? allocate_middle(bytes) : allocate_large(bytes);
  slab* s = t_heap->direct[direct_slot(bytes)];
  block* b = s->free;
  if (b == nullptr) [[unlikely]]
    return allocate_slow(bytes, s);
  return pop(s, b);
}

/// Pushes a block on its own slab. Null and foreign pointers fail the first comparison. Middle and
/// large blocks, and those of other threads, fail the second.
/// `base` is that of the range, unless all pointers are to fail.
template <void (*FreeSlow)(void*)>
[[gnu::always_inline]] inline void deallocate_in(void* p, std::uintptr_t base) {
  const spans::range& range = spans::ranges[0];
  const std::size_t i = spans::slice_of(base, p);
  if (!spans::is_slice(range, i)) [[unlikely]]
    return FreeSlow(p);
  slab* s = slab_in(range.records + i);
  // relaxed: if it is this thread, this thread wrote it; any other value goes the slow way.
  if (s->owner.load(relaxed) != os::thread_token()) [[unlikely]]
    return free_elsewhere(p, s);

  block* b = static_cast<block*>(p);
  if (b == s->free) [[unlikely]]
    return FreeSlow(p);  // freed twice in a row
  b->next = s->free;
  s->free = b;
  if (--s->countdown == 0) [[unlikely]]
    free_event(s);
}

template <void (*FreeSlow)(void*) = free_slow>
[[gnu::always_inline]] inline void deallocate(void* p) {
  deallocate_in<FreeSlow>(p, spans::ranges[0].base);
}

}  // namespace heapsmith
