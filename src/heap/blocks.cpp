// The slow half of malloc and free: serves requests that the fast path could not.
#include <errno.h>
#include <string.h>

#include "heap/emergency.hpp"
#include "heap/first_class.hpp"
#include "heap/heap.hpp"
#include "heap/heap_path.hpp"
#include "heap/large.hpp"
#include "heap/middle.hpp"
#include "heap/reclaim.hpp"
#include "heap/supply.hpp"
#include "os/diagnose.hpp"
#include "slabs/find.hpp"
#include "slabs/remote_free.hpp"
#include "slabs/remote_path.hpp"
#include "slabs/slabs.hpp"
#include "spans/direct_maps.hpp"
#include "threads/fork.hpp"
#include "threads/shared_heap.hpp"
#include "threads/slow_section.hpp"
#include "threads/threads.hpp"

namespace heapsmith {
namespace {

/// A block for a thread that has no heap: it is past its end, or out of memory for one.
void* allocate_shared(std::size_t c) {
  const shared_heap_use shared;
  if (shared.heap() == nullptr) return nullptr;
  block* const b = pop_slowly(*shared.heap(), c);
  if (b == nullptr) return nullptr;
  if (is_middle(c)) middle_bytes.out.fetch_add(bytes_of(c, 1), relaxed);
  b->mark = 0;  // as in pop_cached()
  return b;
}

/// The same from a first-class heap.
void* allocate_unattended(first_class_heap& f, std::size_t c) {
  const unattended_sub_heap_use use(f);
  return use.heap() == nullptr ? nullptr : pop_slowly(*use.heap(), c);
}

[[gnu::noinline, gnu::cold]] void* allocate_class(std::size_t bytes, std::size_t c) {
  // Where only the cache of spans may keep memory, a long block is a span.
  if (bytes > slab_block_max && !spans::others_may_keep.load(relaxed)) return allocate_large(bytes);
  void* p = nullptr;
  if (interrupts_the_heap()) {
    p = emergency::allocate(bytes, block_align);
  } else if (thread_heap* h = this_thread_heap(); h == nullptr) {
    p = allocate_shared(c);
  } else {
    const slow_section section(h);
    purge_if_asked(*h);
    p = is_middle(c) ? pop_middle(*h, c) : pop_borrowed(*h, c);
    if (p == nullptr && !is_middle(c)) p = pop_slowly(*h, c);
  }
  return p != nullptr ? p : out_of_memory();
}

/// Frees into a full slab of this thread's own heap or sub-heap, if the slab can be owned again.
bool free_in_own_full_slab(thread_heap& h, slab* s, block* b) {
  const slow_section section(t_heap);
  if (free_in_full(h, s, b)) return true;
  if (s->owner.load(relaxed) == nobody_owns) collect_posted(h, s->size_class);
  if (!h.owns(s)) return false;
  push_local(h, s, b);
  return true;
}

/// This thread's sub-heap of the first-class heap that `s` belongs to: blocks of that heap never
/// enter another one. Null when out of memory, or when it cannot be looked for now.
thread_heap* sub_heap_of(thread_heap& t, slab* s) {
  auto& f = *static_cast<first_class_heap*>(record_of(s)->account);
  const remembered_sub_heap& known = remembered_in(t, f);
  if (known.id == f.id) [[likely]]
    return known.sub;
  if (os::interrupts(heaps_lock)) return nullptr;
  const slow_section section(&t);
  return sub_heap_here(t, f);
}

/// The heap for a thread that begins by freeing a block of `s`: the slab's, if no thread has it.
thread_heap* heap_to_free_from(const slab* s) {
  const bool is_threads = record_of(s)->account == nullptr && !is_cached_by_threads(s);
  return this_thread_heap(is_threads ? s->home.load(relaxed) : nullptr);
}

void free_in_slab(slab* s, block* b) {
  thread_heap* h = t_heap;
  if (h == &empty_heap && (h = heap_to_free_from(s)) == nullptr) return free_remote_now(s, b);
  if (h->busy) return free_remote_now(s, b);
  if (is_cached_by_threads(s)) {
    const slow_section section(h);
    return free_middle(*h, s, b);
  }
  if (record_of(s)->account != nullptr && (h = sub_heap_of(*h, s)) == nullptr)
    return free_remote_now(s, b);
  if (h->owns(s)) {
    if (b == s->free) os::abort_misuse("free", b, "freed twice in a row");
    return push_local(*h, s, b);
  }
  if (s->home.load(relaxed) == h && free_in_own_full_slab(*h, s, b)) return;
  free_remote(*h, s, b);
}

bool end_direct_map(void* p) {
  if (!spans::had_direct_maps()) return false;
  notice_fork();
  return spans::direct_unmap(p);
}

/// Frees the block at `p`, which lies in the slice of `r`.
[[gnu::noinline, gnu::cold]] void free_in_slice(void* p, spans::record* r) {
  if (kind_of(r) == slice_kind::large) return free_large(r, p);
  slab* first = slab_of(r);
  if (first == nullptr) os::abort_misuse("free", p, no_block_here);
  require_block_start("free", first, p);
  free_in_slab(first, static_cast<block*>(p));
}

void free_block(void* p, const foreign_handlers& others) {
  if (p == nullptr) return;
  spans::record* r = spans::find_anywhere(p);
  if (r == nullptr) {
    if (emergency::owns(p) || end_direct_map(p)) return;
    if (others.free == nullptr) abort_foreign("free", p);
    return others.free(p);
  }
  free_in_slice(p, r);
}

/// Whether the thread of `h` is in no slow path and no section.
bool is_between_calls(const thread_heap& h) {
  return !h.busy && os::locks_wanted == 0 && h.token != nobody_owns &&
         !h.frozen.load(relaxed);  // relaxed: as in this_thread_heap()
}

/// Also in no forked child that has not noticed, and need not answer a purge.
bool is_at_ease(const thread_heap& h) {
  return is_between_calls(h) && !is_asked_to_purge(h) && !has_forked_unnoticed();
}

[[gnu::noinline, gnu::cold]] void look_at_clock_now(thread_heap& h) {
  notice_fork();
  const slow_section section(&h);
  purge_if_asked(h);
  look_at_clock(h);
}

/// A thread that replaces long blocks may take no slow path: it looks at the clock all the same.
void count_long(thread_heap& h) {
  if (h.ticks_until_look != 0) [[likely]]
    --h.ticks_until_look;
  else if (is_between_calls(h))
    look_at_clock_now(h);
}

/// A function of its own, so that allocate_slow() needs no frame.
[[gnu::noinline]] void* allocate_unborrowed(std::size_t bytes, const slab* exhausted) {
  thread_heap& h = *t_heap;
  const std::size_t c = class_of(bytes);
  if (!is_at_ease(h)) [[unlikely]]
    return allocate_class(bytes, c);
  block* b = nullptr;
  {
    const slow_section section(&h);
    if (exhausted == &no_slab) {
      b = pop_borrowed(h, c);
      if (b == nullptr) b = pop_set_aside(h, c);
    }
    if (b == nullptr) b = pop_slowly(h, c);
  }
  return b != nullptr ? b : out_of_memory();
}

/// Whether a carved block of the slab starts at `p`, in one of its slices. `inverse`: of its class.
bool is_block_of(const slab* s, const void* p, std::uint32_t inverse) {
  const auto offset = static_cast<std::uint32_t>(static_cast<const char*>(p) - s->start);
  return index_if_start(inverse, offset) < s->carved.load(relaxed);  // relaxed: as elsewhere
}

/// A free into a slab of this thread's own heap that is full, or of the first block that goes home
/// to a slab of another thread, if all is as usual; false if nothing was done. `s` is in the record
/// of the block's slice, be it a slab's or not: `borrow_slot` tells.
bool free_first_quickly(thread_heap& h, slab* s, block* b) {
  const unsigned slot = s->borrow_slot;
  if (slot == 0 || is_cached_by_threads(s) || !is_block_of(s, b, h.borrowed[slot].inverse))
      [[unlikely]]
    return false;
  // relaxed: as in deallocate().
  if (s->owner.load(relaxed) == os::thread_token()) {
    if (b == s->free) [[unlikely]]
      return false;  // freed twice in a row
    push_local(h, s, b);
    return true;
  }
  if (h.busy || &h == &empty_heap) [[unlikely]]
    return false;
  // relaxed: only this thread writes its own heap here.
  if (s->home.load(relaxed) != &h) {
    free_remote(h, s, b);
    return true;
  }
  const slow_section section(&h);
  return free_in_full(h, s, b);
}

/// A function of its own, so that free_elsewhere() needs no frame.
[[gnu::noinline]] void free_unborrowed(void* p, slab* s) {
  if (s->kind == slice_kind::large) return free_large(record_of(s), p);
  if (!free_first_quickly(*t_heap, s, static_cast<block*>(p))) free_in_slice(p, record_of(s));
}

}  // namespace

void* out_of_memory() {
  spans::report_limit();
  errno = ENOMEM;
  return nullptr;
}

void* allocate_slow(std::size_t bytes, slab* exhausted) {
  if (block* b = pop_borrowed_quickly(*t_heap, exhausted)) [[likely]]
    return b;
  return allocate_unborrowed(bytes, exhausted);
}

void* allocate_middle(std::size_t bytes) {
  if (bytes <= direct_max) __builtin_unreachable();
  const std::size_t c = class_of(bytes);
  thread_heap& h = *t_heap;
  if (bytes > slab_block_max) count_long(h);
  if (block* b = pop_cached(h, c)) [[likely]]
    return b;
  // One at hand that is up to half longer costs less memory than one more, and less time.
  if (bytes > slab_block_max)
    for (std::size_t k = c + 1; k != class_count && k <= c + classes_per_doubling / 2; ++k)
      if (block* b = pop_cached(h, k)) return b;
  return allocate_class(bytes, c);
}

void* allocate_zeroed(std::size_t bytes) {
  void* p = nullptr;
  if (bytes <= slab_block_max) {
    if (p = allocate(bytes); p == nullptr) return p;
  } else if (bytes <= cached_block_max) {
    count_long(*t_heap);
    p = pop_cached(*t_heap, class_of(bytes));
  }
  if (p != nullptr) return memset(p, 0, bytes);
  return bytes > object_max ? out_of_memory() : allocate_large_zeroed(bytes);
}

void* allocate_aligned(std::size_t bytes, std::size_t align) {
  if (align <= block_align) return allocate(bytes);
  if (bytes > object_max - align) return out_of_memory();
  const std::size_t c = aligned_class(bytes, align);
  if (c == class_count) return allocate_large_aligned(bytes, align);
  // The class's own blocks are aligned: its fast path serves them.
  const bool has_one = is_middle(c) ? t_heap->cached[c - first_middle]
                                    : t_heap->direct[direct_slot(class_table[c].bytes)]->free;
  if (!has_one && interrupts_the_heap()) [[unlikely]] {
    void* p = emergency::allocate(bytes, align);
    return p != nullptr ? p : out_of_memory();
  }
  const std::size_t all = class_table[c].bytes;
  return has_one || all <= slab_block_max ? allocate(all) : allocate_class(all, c);
}

void* allocate_in_slow(first_class_heap& f, std::size_t bytes) {
  require_heap("hs_heap_malloc", f);
  if (bytes > slab_block_max) return allocate_large_aligned(bytes, block_align, &f);
  const std::size_t c = class_of(bytes);
  void* p = nullptr;
  if (interrupts_the_heap()) {
    p = emergency::allocate(bytes, block_align);
  } else if (thread_heap* t = this_thread_heap(); t == nullptr) {
    p = allocate_unattended(f, c);
  } else {
    const slow_section section(t);
    if (thread_heap* sub = sub_heap_here(*t, f)) {
      p = pop_borrowed(*sub, c);
      if (p == nullptr) {
        purge_if_asked(*sub);
        p = pop_slowly(*sub, c);
      }
    }
  }
  return p != nullptr ? p : out_of_memory();
}

void* allocate_in_any(first_class_heap& f, std::size_t bytes) {
  return allocate_in(f, bytes);
}

void* allocate_zeroed_in(first_class_heap& f, std::size_t bytes) {
  if (bytes > slab_block_max) {
    require_heap("hs_heap_calloc", f);
    return bytes > object_max ? out_of_memory() : allocate_large_zeroed(bytes, &f);
  }
  void* p = allocate_in_any(f, bytes);
  return p == nullptr ? nullptr : memset(p, 0, bytes);
}

void* allocate_aligned_in(first_class_heap& f, std::size_t bytes, std::size_t align) {
  if (align <= block_align) return allocate_in_any(f, bytes);
  if (bytes > object_max - align) return out_of_memory();
  // Small blocks come from a class whose own blocks are all aligned.
  const std::size_t good = good_bytes(bytes, align);
  if (align < slice_bytes && good <= slab_block_max) return allocate_in_any(f, good);
  require_heap("hs_heap_aligned_alloc", f);
  return allocate_large_aligned(bytes, align, &f);
}

void free_elsewhere(void* p, slab* s) {
  if (free_elsewhere_quickly(*t_heap, s, static_cast<block*>(p))) [[likely]]
    return;
  free_unborrowed(p, s);
}

void free_slow(void* p) {
  free_block(p, foreign);
}

void free_own_slow(void* p) {
  free_block(p, abort_at_foreign);
}

}  // namespace heapsmith
