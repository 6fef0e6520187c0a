// Where malloc finds blocks when the current slab has none: the next slab, in order of cost.
#include "heap/supply.hpp"

#include <algorithm>

#include "heap/reclaim.hpp"
#include "slabs/bins.hpp"
#include "slabs/free_list.hpp"
#include "slabs/remote_free.hpp"
#include "slabs/slabs.hpp"
#include "spans/spans.hpp"
#include "threads/all_heaps.hpp"
#include "threads/sub_heaps.hpp"

namespace heapsmith {
namespace {

/// Finds free blocks in the current slab itself. Blocks that came back come before uncut ones.
bool has_block(slab* s) {
  if (s->free != nullptr) return true;
  if (s == &no_slab) return false;
  if (collect_remote(s) != 0) return true;
  return s->carved.load(relaxed) != s->capacity;
}

/// The current slab has no block left: it becomes full, without an owner, until a block comes back.
/// A listed one stays owned, in a bin. False: blocks came back meanwhile, and it stays current.
bool retire_full(thread_heap& h, slab* s, std::size_t c) {
  if (s == &no_slab) return true;
  if (s->remote.is_listed() && s->remote.waiting() == 0) {
    set_current(h, c, &no_slab);
    enter_bin(h, s, s->capacity);
    return true;
  }
  // relaxed: frees of our own now go the slow way and find the slab full; others never matched it.
  s->owner.store(nobody_owns, relaxed);
  if (s->remote.disown()) {
    set_current(h, c, &no_slab);  // the record may be another slab's by now
    return true;
  }
  s->owner.store(h.token, relaxed);
  return false;
}

slab* out_of_bin(thread_heap& h, slab* s) {
  if (s == nullptr) return s;
  look_at_free_blocks(s);
  leave_bin(h, s);
  return s;
}

/// Slabs with free blocks that lie idle in other heaps: their threads are busy elsewhere, asleep or
/// gone. Without this, threads that free each other's blocks in turns would each keep their own
/// holes.
slab* slab_from_others(thread_heap& h, std::size_t c) {
  const auto steal = [&](thread_heap& other) { return &other != &h && steal_posted(other, h, c); };
  const bool found =
      any_of_next_heaps(h.account != nullptr ? heap_of(h).subs : all_heaps, h.next_asked, steal);
  // The slabs that came may have been wholly free, and kept or given back: then none is in the
  // bins.
  return found ? out_of_bin(h, fullest(h, c)) : nullptr;
}

/// A slab on a span from the cache or the OS. The address space grows only when all else failed, or
/// when the class should not take what others had set aside.
[[gnu::cold]] slab* new_slab(thread_heap& h, std::size_t c) {
  const std::size_t n = class_table[c].slices;
  spans::span sp = spans::take(n, 1, spans::growth::forbidden, h.account);
  if (!sp && is_short(h, c)) sp = spans::take(n, 1, spans::growth::allowed, h.account);
  if (!sp) sp = take_reclaimed(h, n, 1, h.account);
  if (!sp) return nullptr;
  slab* const s = slab_in(sp.first);
  set_up(h, s, sp.start, c);
  return s;
}

/// The next slab to allocate from, in order of cost. Nearly full slabs come last: another slab is
/// cut a page at a time, and serves for long, while each of these would serve once or twice.
slab* find_slab(thread_heap& h, std::size_t c) {
  flush_batches(h);
  collect_posted(h, c);
  if (slab* s = out_of_bin(h, fullest(h, c))) return s;
  if (slab* s = reuse_kept(h, c)) return s;
  if (slab* s = slab_from_others(h, c)) return s;
  watch_again(h, c);
  if (slab* s = new_slab(h, c)) {
    h.shortage[c] = 0;
    return s;
  }
  return out_of_bin(h, first_nearly_full(h, c));
}

/// The current slab of the class, which has a block; null when out of memory.
slab* slab_with_block(thread_heap& h, std::size_t c) {
  collect_reported(h);
  slab* s = h.current[c];
  while (!has_block(s)) {
    if (!retire_full(h, s, c)) continue;
    s = find_slab(h, c);
    if (s == nullptr) return nullptr;
    make_current(h, s);
  }
  return s;
}

}  // namespace

block* pop_set_aside(thread_heap& h, std::size_t c) {
  if (fullest(h, c) != nullptr) return nullptr;
  slab* const s = reuse_set_aside(h, c);
  if (s == nullptr) return nullptr;
  tick(h);
  make_current(h, s);
  return s->free != nullptr ? pop(s, s->free) : nullptr;
}

block* pop_slowly(thread_heap& h, std::size_t c) {
  tick(h);
  start_borrowing(h, c);
  slab* const s = slab_with_block(h, c);
  if (s == nullptr) return nullptr;
  if (s->free == nullptr) carve(s);
  return pop(s, s->free);
}

block_supply pop_many(thread_heap& h, std::size_t c, std::uint32_t most) {
  slab* const s = slab_with_block(h, c);
  if (s == nullptr) return {};
  block_supply out;
  if (s->free == nullptr) {
    const std::uint32_t carved = s->carved.load(relaxed);
    out.uncut = s->start + std::size_t{carved} * class_table[c].bytes;
    out.count = std::min(most, s->capacity - carved);
    s->carved.store(carved + out.count, relaxed);
  } else {
    out.first = s->free;
    block* last = out.first;
    for (out.count = 1; out.count < most && last->next != nullptr; ++out.count) last = last->next;
    s->free = last->next;
    last->next = nullptr;
  }
  s->countdown += out.count;
  return out;
}

}  // namespace heapsmith
