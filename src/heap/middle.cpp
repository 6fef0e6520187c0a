// Takes middle blocks from the shared heap into a thread's cache, and returns them.
#include "heap/middle.hpp"

#include <algorithm>
#include <utility>

#include "heap/reclaim.hpp"
#include "heap/supply.hpp"
#include "slabs/remote_free.hpp"
#include "threads/shared_heap.hpp"

namespace heapsmith {
namespace {

/// Of what all may cache. Tells what `h` caches, if that changed by more than half of its share.
std::int64_t share_of(thread_heap& h) {
  const std::int64_t share = std::max(cached_together, middle_bytes.in_use()) /
                             std::max(threads_with_heaps.load(relaxed), 1u);
  h.budget.report(share / 2);
  return share;
}

/// Cuts a list in two; returns what lies behind its first `n` blocks, of which it has more.
block* cut_behind(block* first, std::uint32_t n) {
  for (; n != 1; --n) first = first->next;
  return std::exchange(first->next, nullptr);
}

/// From the depot, or else from a slab of the shared heap.
block_supply supply_from_others(std::size_t c, std::uint32_t most) {
  depot* const d = the_depot.load(acquire);
  if (const listed_blocks list = d == nullptr ? listed_blocks{} : d->remove(c);
      list.first != nullptr) {
    if (list.count > most) return_blocks(c, cut_behind(list.first, most));
    return {list.first, nullptr, std::min(list.count, most)};
  }
  const shared_heap_use shared;
  if (shared.heap() == nullptr) return {};
  const block_supply taken = pop_many(*shared.heap(), c, most);
  middle_bytes.out.fetch_add(bytes_of(c, taken.count), relaxed);
  return taken;
}

/// The blocks as a list. Uncut ones are linked here, without the lock: that touches new OS pages.
block* linked(const block_supply& s, std::uint32_t bytes) {
  if (s.uncut == nullptr) return s.first;
  char* at = s.uncut;
  for (std::uint32_t i = 1; i < s.count; ++i, at += bytes)
    reinterpret_cast<block*>(at)->next = reinterpret_cast<block*>(at + bytes);
  reinterpret_cast<block*>(at)->next = nullptr;
  return reinterpret_cast<block*>(s.uncut);
}

/// Makes room for `bytes` bytes, if that much is allowed: returns the blocks of one class after the
/// other's. Complexity: a step for each block, at most middle_count lists.
void make_room(thread_heap& h, std::int64_t bytes) {
  for (std::size_t i = 0; i < middle_count && h.budget.room() < bytes; ++i) {
    if (++h.returned_last == middle_count) h.returned_last = 0;
    const std::size_t c = h.returned_last + first_middle;
    h.budget.note_returned(c, return_blocks(c, std::exchange(h.cached[h.returned_last], nullptr)));
  }
}

}  // namespace

block* pop_middle(thread_heap& h, std::size_t c) {
  tick(h);
  const std::uint32_t n = h.budget.blocks_to_take(c, share_of(h));
  block_supply supply = supply_from_others(c, n);
  if (supply.count == 0) {  // the search has emptied the depot, too
    return_cached(h);
    supply = supply_from_others(c, 1);
    if (supply.count == 0) return nullptr;
  }
  block* const first = linked(supply, class_table[c].bytes);
  h.budget.note_taken(c, supply.count);
  h.cached[c - first_middle] = first->next;  // it was empty, and no signal handler fills it
  first->mark = 0;
  return first;
}

void free_middle(thread_heap& h, slab* s, block* b) {
  const std::size_t c = s->size_class;
  const std::uint32_t bytes = class_table[c].bytes;
  mark_freed(s, b);
  const std::int64_t room = h.budget.room_to_make(share_of(h), bytes);
  if (!h.budget.allows(bytes)) {
    b->next = nullptr;
    h.budget.note_returned(c, return_blocks(c, b));
    return make_room(h, 0);
  }
  b->next = std::exchange(h.cached[c - first_middle], b);
  if (room != 0) make_room(h, room);
}

}  // namespace heapsmith
