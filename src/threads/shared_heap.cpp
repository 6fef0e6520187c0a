// One heap for all threads, made when the first of them needs it.
#include "threads/shared_heap.hpp"

#include <algorithm>
#include <utility>

#include "os/diagnose.hpp"
#include "slabs/came_back.hpp"
#include "slabs/find.hpp"
#include "slabs/remote_free.hpp"
#include "slabs/slabs.hpp"
#include "slabs/sweep.hpp"
#include "spans/spans.hpp"
#include "threads/all_heaps.hpp"

namespace heapsmith {
namespace {

constinit thread_heap* shared_heap = nullptr;

slab* slab_of_freed(block* b) {
  spans::record* const r = find_record(b);
  slab* const s = r == nullptr ? nullptr : slab_of(r);
  if (s == nullptr || !is_middle(s->size_class)) [[unlikely]]
    os::abort_misuse("earlier free", b, "written to after it was freed");
  return s;
}

void free_arriving_locked() {
  // acquire pairs with give_to_slabs(): the links, and what the blocks' last owners did.
  for (block *b = the_exchange.arriving.exchange(nullptr, acquire), *next; b != nullptr; b = next) {
    next = b->next;
    slab* const s = slab_of_freed(b);
    thread_heap* const h = shared_heap;
    const std::int64_t bytes = class_table[s->size_class].bytes;
    if (h != nullptr && h->owns(s)) {
      push_local(*h, s, b);
    } else if (h == nullptr || s->home.load(relaxed) != h || !free_in_full(*h, s, b)) {
      b->mark = 0;
      free_remote_now(s, b);  // it is posted, or of a shared heap that a forked child gave up
      continue;
    }
    middle_bytes.out.fetch_sub(bytes, relaxed);  // its slab may be gone
  }
}

/// A thread that found the lock taken leaves its blocks to the one that has it, which looks here
/// when it has left. relaxed: where the machine lets that look overtake the release, they wait for
/// the next one. A call that holds another lock leaves them, too: this one comes first.
[[gnu::noinline]] void free_arriving() {
  while (os::locks_wanted == 0 && the_exchange.arriving.load(relaxed) != nullptr &&
         the_exchange.lock.try_acquire()) {
    free_arriving_locked();
    the_exchange.lock.release();
  }
}

/// Gives the blocks of a list back to their slabs, and waits for no lock. Returns how many they
/// were.
std::uint32_t give_to_slabs(block* first) {
  if (first == nullptr) return 0;
  std::uint32_t n = 1;
  block* last = first;
  for (;; last = last->next, ++n) {
    slab_of_freed(last);
    static_cast<middle_block*>(last)->note = 0;
    if (last->next == nullptr) break;
    if (n >> 24 != 0) os::abort_misuse("earlier free", last, "freed twice");
  }
  last->next = the_exchange.arriving.load(relaxed);  // a guess; the exchange checks it
  // release pairs with free_arriving_locked().
  while (!the_exchange.arriving.compare_exchange_weak(last->next, first, release, relaxed)) {
  }
  free_arriving();
  return n;
}

}  // namespace

constinit atomic<depot*> the_depot{nullptr};
constinit block_exchange the_exchange;

shared_heap_use::shared_heap_use() {
  if (!os::holds_all_locks) the_exchange.lock.acquire();
  if (shared_heap == nullptr) shared_heap = make_heap();
  heap_ = shared_heap;
  if (heap_ == nullptr) return;
  free_arriving_locked();
  if (the_depot.load(relaxed) != nullptr) return;
  // Memory that reads as zero is an empty depot. release pairs with the acquire of its users.
  if (void* const memory = spans::allocate_metadata(sizeof(depot)))
    the_depot.store(static_cast<depot*>(memory), release);
}

shared_heap_use::~shared_heap_use() {
  if (os::holds_all_locks) return;
  the_exchange.lock.release();
  free_arriving();
}

std::uint32_t return_blocks(std::size_t c, block* first) {
  depot* const d = the_depot.load(acquire);
  const auto most = static_cast<std::uint32_t>(
      std::max<std::int64_t>(cache_budget::step / class_table[c].bytes, 1));
  std::uint32_t n = 0;
  while (first != nullptr) {
    listed_blocks list = {first, 1};
    block* last = first;
    for (; slab_of_freed(last), list.count < most && last->next != nullptr; ++list.count)
      last = last->next;
    block* const rest = last->next;
    last->next = nullptr;
    if (d == nullptr || class_table[c].bytes > slice_bytes || !d->put(c, list)) {
      last->next = rest;
      return n + give_to_slabs(first);
    }
    note_came_back();
    n += list.count;
    first = rest;
  }
  return n;
}

void return_cached(thread_heap& h) {
  if (h.budget.cached() != 0)
    for (std::size_t c = first_middle; c < class_count; ++c)
      h.budget.note_returned(c, give_to_slabs(std::exchange(h.cached[c - first_middle], nullptr)));
  h.budget.forget();
}

void empty_depot() {
  depot* const d = the_depot.load(acquire);
  if (d == nullptr) return;
  for (std::size_t c = first_middle; c < class_count; ++c)
    for (unsigned i = 0; i < depot::slots; ++i) give_to_slabs(d->remove(c).first);
}

void release_shared() {
  empty_depot();
  for (std::size_t c = first_middle; c < class_count; ++c) {
    const os::lock_guard guard(the_exchange.lock);
    if (shared_heap == nullptr) return;
    if (c == first_middle) {
      free_arriving_locked();
      shed_free_slabs(*shared_heap);
    }
    release_free_blocks(*shared_heap, c);
  }
  free_arriving();
}

void look_at_cached(const thread_heap& h) {
  std::int64_t left = h.budget.cached();  // a ring has no end
  for (std::size_t c = first_middle; c < class_count; ++c)
    for (block* b = h.cached[c - first_middle]; b != nullptr && left > 0;
         b = b->next, left -= class_table[c].bytes)
      slab_of_freed(b);
}

bool is_shared_heap(const thread_heap& h) {
  return &h == shared_heap;
}

void drop_shared_heap() {
  if (shared_heap != nullptr) shared_heap->frozen.store(true, relaxed);
  shared_heap = nullptr;
}

}  // namespace heapsmith
