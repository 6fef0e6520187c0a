// Where malloc finds blocks when the current slab has none, and what becomes of slabs.
#include "heap/slabs.hpp"

#include <algorithm>

#include "heap/bins.hpp"
#include "heap/malloc_path.hpp"
#include "heap/reclaim.hpp"
#include "heap/remote_free.hpp"
#include "heap/threads.hpp"
#include "heapsmith/detail/check.hpp"
#include "os/os.hpp"
#include "spans/spans.hpp"

namespace heapsmith {
namespace {

void set_current(thread_heap& h, std::size_t c, slab* s) {
  h.current[c] = s;
  if (class_bytes(c) > direct_max) return;
  const std::size_t from = c == 0 ? 0 : direct_slot(class_bytes(c - 1)) + 1;
  for (std::size_t k = from; k <= direct_slot(class_bytes(c)); ++k) h.direct[k] = s;
}

/// Cuts blocks up to the end of the OS page in which the next block begins, and lists them in
/// address order: memory is touched a page at a time, when it is needed.
void carve(slab* s) {
  const std::size_t bytes = class_table[s->size_class].bytes;
  const std::uint32_t carved = s->carved.load(relaxed);
  char* first = s->start + carved * bytes;
  const std::uintptr_t page_end =
      round_up(reinterpret_cast<std::uintptr_t>(first) + 1, os::page_bytes());
  const std::size_t fit = (page_end - reinterpret_cast<std::uintptr_t>(first)) / bytes;
  const auto n = static_cast<std::uint32_t>(
      std::min<std::size_t>(std::max<std::size_t>(fit, 1), s->capacity - carved));
  block* link = reinterpret_cast<block*>(first);
  s->free = link;
  for (std::uint32_t i = 1; i < n; ++i) {
    first += bytes;
    link->next = reinterpret_cast<block*>(first);
    link = link->next;
  }
  link->next = nullptr;
  s->carved.store(carved + n, relaxed);
}

/// Finds free blocks in the current slab itself. Blocks that came back come before untouched ones.
bool replenish(slab* s) {
  if (s == &no_slab) return false;
  if (s->free != nullptr || collect_remote(s) != 0) return true;
  if (s->carved.load(relaxed) == s->capacity) return false;
  carve(s);
  return true;
}

/// The current slab has no block left: it becomes full, owned by nobody, until a block comes back.
/// False when blocks came back meanwhile: it stays.
bool retire_full(thread_heap& h, slab* s, std::size_t c) {
  if (s == &no_slab) return true;
  // relaxed: frees of our own now go the slow way and find the slab full; others never matched it.
  s->owner.store(nobody_owns, relaxed);
  if (s->remote.disown()) {
    set_current(h, c, &no_slab);  // the record may be another slab's by now
    return true;
  }
  s->owner.store(h.token, relaxed);
  return false;
}

/// Generations of one slab's life count up from a number no other life comes near: 2^24
/// collections.
constexpr std::uint64_t generations_per_life = std::uint64_t{1} << 24;
constinit atomic<std::uint64_t> lives{generations_per_life};  // no slab has generation 0

void next_generation(slab* s) {
  // relaxed: see slab::generation.
  s->generation.store(s->generation.load(relaxed) + 1, relaxed);
}

void set_up(thread_heap& h, slab* s, char* start, std::size_t c) {
  const class_info& info = class_table[c];
  s->free = nullptr;
  s->carved.store(0, relaxed);
  s->capacity = info.capacity;
  s->size_class = static_cast<class_index>(c);
  s->slices = info.slices;
  s->start = start;
  s->home.store(&h, relaxed);
  s->next = s->previous = nullptr;
  s->remote.reset();
  // relaxed: only uniqueness matters.
  s->generation.store(lives.fetch_add(generations_per_life, relaxed), relaxed);
  for (std::uint32_t i = 1; i < info.slices; ++i) {
    s[i].kind = slice_kind::interior;
    s[i].back = i;
  }
  s->kind = slice_kind::slab;
  s->owner.store(h.token, relaxed);  // the blocks' receivers learn of it with the blocks
}

/// A kept empty slab: of the same class as it is, or any of the same length cut anew.
slab* take_kept_empty(thread_heap& h, std::size_t c) {
  for (auto& slot : h.kept_empty) {
    slab* s = slot.load(relaxed);
    if (s == nullptr) continue;
    // A purge may take the slab before the exchange does. relaxed: only the heap's own thread puts
    // slabs here, and a heap changes threads under a lock.
    s = slot.exchange(nullptr, relaxed);
    if (s == nullptr) continue;
    if (s->slices == class_table[c].slices) {
      if (s->size_class != c) set_up(h, s, s->start, c);
      return s;
    }
    slab* expected = nullptr;
    // release pairs with the purge's acquire: our reading of the record comes before its reuse.
    if (!slot.compare_exchange_strong(expected, s, release, relaxed)) give_slab(s);
  }
  return nullptr;
}

bool keep_empty(thread_heap& h, slab* s) {
  for (auto& slot : h.kept_empty) {
    slab* expected = nullptr;
    // release pairs with the acquire exchanges: who takes the slab sees its record.
    if (slot.load(relaxed) == nullptr &&
        slot.compare_exchange_strong(expected, s, release, relaxed))
      return true;
  }
  return false;
}

std::uint32_t list_length(const slab* s) {
  std::uint32_t n = 0;
  for (const block* b = s->free; b != nullptr; b = b->next) ++n;
  return n;
}

/// Leaves a slab that lies in no bin and has `free_blocks` blocks on its list to the other threads.
void publish(thread_heap& h, slab* s, std::uint32_t free_blocks) {
  const std::size_t c = s->size_class;
  s->owner.store(nobody_owns, relaxed);  // as in retire_full()
  for (;;) {
    free_blocks += collect_remote(s);
    if (free_blocks == s->carved.load(relaxed)) return give_slab(s);
    if (free_blocks == 0 ? s->remote.disown() : s->remote.publish(s->start, {s->free, free_blocks}))
      break;
  }
  if (free_blocks != 0) h.posted[c].push(s);
}

slab* take_fullest(thread_heap& h, std::size_t c) {
  slab* s = fullest(h, c);
  if (s != nullptr) leave_bin(h, s);
  return s;
}

/// Slabs with free blocks that lie idle in other heaps: their threads are busy elsewhere, asleep or
/// gone. Without this, threads that free each other's blocks in turns would each keep their own
/// holes.
bool take_posted_from_anyone(thread_heap& h, std::size_t c) {
  bool found = false;
  for_each_heap([&](thread_heap& other) {
    found = found || (&other != &h && take_posted_from(other, h, c));
  });
  // What came may have been wholly free, and is kept or given back then: it is not in the bins.
  return found && fullest(h, c) != nullptr;
}

/// A slab on a span from the cache or the OS; the address space grows only when all else failed.
slab* take_new(thread_heap& h, std::size_t c) {
  const std::size_t n = class_table[c].slices;
  spans::span sp = spans::take(n, 1, spans::growth::forbidden);
  if (!sp) {
    reclaim_before_growth(h);
    sp = spans::take(n, 1, spans::growth::allowed);
  }
  if (!sp) return nullptr;
  set_up(h, sp.first, sp.start, c);
  return sp.first;
}

/// Blocks that other threads free in slabs of our bins are noticed when the slab's turn comes, or
/// here: once for as many slabs looked for as there are in the bins, so each search pays for one
/// look.
void sweep_in_turn(thread_heap& h) {
  if (++h.since_sweep <= h.binned || os::single_threaded()) return;
  h.since_sweep = 0;
  sweep_bins(h);
}

/// The next slab to allocate from, in order of what it costs.
slab* find_slab(thread_heap& h, std::size_t c) {
  flush_batches(h);
  sweep_in_turn(h);
  take_posted(h, c);
  if (slab* s = take_fullest(h, c)) return s;
  if (slab* s = take_kept_empty(h, c)) return s;
  if (take_posted_from_anyone(h, c)) return take_fullest(h, c);
  return take_new(h, c);
}

/// A slab whose blocks are all free, here and in the remote word, becomes an uncut one.
void forget_blocks(slab* s) {
  s->remote.collect(s->start);
  next_generation(s);
  s->free = nullptr;
  s->carved.store(0, relaxed);
}

}  // namespace

std::uint32_t collect_remote(slab* s) {
  const block_list list = s->remote.collect(s->start);
  if (list.count == 0) return 0;
  next_generation(s);
  if (s->free == nullptr) {
    s->free = list.first;
    return list.count;
  }
  block* last = list.first;
  while (last->next != nullptr) last = last->next;
  last->next = s->free;
  s->free = list.first;
  return list.count;
}

void make_current(thread_heap& h, slab* s) {
  s->countdown = countdown_parked;
  s->later = 0;
  set_current(h, s->size_class, s);
}

block* pop_slowly(thread_heap& h, std::size_t c) {
  slab* s = h.current[c];
  while (!replenish(s)) {
    if (!retire_full(h, s, c)) continue;
    s = find_slab(h, c);
    if (s == nullptr) return nullptr;
    make_current(h, s);
  }
  block* b = s->free;
  s->free = b->next;
  return b;
}

void settle(thread_heap& h, slab* s, std::uint32_t used) {
  if (used != 0) return enter_bin(h, s, used);
  s->countdown = s->later = 0;
  if (!keep_empty(h, s)) give_slab(s);
}

void give_slab(slab* s) {
  const std::uint32_t slices = s->slices;
  s->owner.store(nobody_owns, relaxed);  // no block is out: nobody can compare it
  for (std::uint32_t i = 0; i < slices; ++i) s[i].kind = slice_kind::none;
  spans::give(s, slices);
}

void push_local(thread_heap& h, slab* s, block* b) {
  HS_ASSERT(h.owns(s));
  b->next = s->free;
  s->free = b;
  if (--s->countdown == 0) free_event(s);
}

void free_event(slab* s) {
  thread_heap& h = *s->home.load(relaxed);  // the owner's: it is owned
  if (h.current[s->size_class] == s) {
    s->countdown = countdown_parked;
    return;
  }
  leave_bin(h, s);
  settle(h, s, s->later);
}

void drop_kept_empty(thread_heap& h) {
  for (auto& slot : h.kept_empty)
    // acquire pairs with keep_empty(): the record of the slab.
    if (slab* s = slot.exchange(nullptr, acquire)) give_slab(s);
}

void sweep_bins(thread_heap& h) {
  for (auto& bins : h.bins) {
    for (slab*& head : bins) {
      for (slab *s = head, *next; s != nullptr; s = next) {
        next = s->next;
        // What waits is only counted: to join the lists would touch every block that came back.
        if (s->remote.waiting() != s->countdown + s->later) continue;
        leave_bin(h, s);
        forget_blocks(s);
        settle(h, s, 0);
      }
    }
  }
}

void sweep_all(thread_heap& h) {
  sweep_bins(h);
  for (slab* s : h.current) {
    if (s == &no_slab) continue;
    collect_remote(s);
    if (list_length(s) != s->carved.load(relaxed)) continue;
    set_current(h, s->size_class, &no_slab);
    give_slab(s);
  }
  drop_kept_empty(h);
}

void publish_all(thread_heap& h) {
  for (slab* s : h.current) {
    if (s == &no_slab) continue;
    set_current(h, s->size_class, &no_slab);
    publish(h, s, list_length(s));
  }
  for (auto& bins : h.bins) {
    for (slab*& head : bins) {
      while (slab* s = head) {
        const std::uint32_t used = s->countdown + s->later;
        leave_bin(h, s);
        publish(h, s, s->carved.load(relaxed) - used);
      }
    }
  }
  drop_kept_empty(h);
}

}  // namespace heapsmith
