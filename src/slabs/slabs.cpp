// The life of a slab: set up on a span, carved, settled by how full it is, kept empty, given back.
#include "slabs/slabs.hpp"

#include <algorithm>

#include "heapsmith/detail/check.hpp"
#include "os/os.hpp"
#include "slabs/bins.hpp"
#include "spans/spans.hpp"

namespace heapsmith {
namespace {

/// Generations of one slab's life count up from a number no other life comes near: 2^24
/// collections.
constexpr std::uint64_t life_step = generation_step << 24;
constinit atomic<std::uint64_t> lives{life_step};  // no slab has generation 0

void next_generation(slab* s) {
  // relaxed: see slab::generation.
  s->generation.store(s->generation.load(relaxed) + generation_step, relaxed);
}

/// In `countdown`: so many local frees without an allocation do not occur.
constexpr std::uint32_t no_event = std::uint32_t{1} << 31;

bool keep_empty(thread_heap& h, slab* s) {
  for (auto& slot : h.kept_empty) {
    slab* expected = nullptr;
    // release pairs with the acquire exchanges: the thread that takes the slab sees its record.
    if (slot.load(relaxed) == nullptr &&
        slot.compare_exchange_strong(expected, s, release, relaxed))
      return true;
  }
  return false;
}

}  // namespace

void set_up(thread_heap& h, slab* s, char* start, std::size_t c) {
  const class_info& info = class_table[c];
  s->free = nullptr;
  s->countdown = s->later = 0;
  s->carved.store(0, relaxed);
  s->capacity = info.capacity;
  s->size_class = static_cast<class_index>(c);
  s->start = start;
  s->home.store(&h, relaxed);
  s->next = s->previous = nullptr;
  s->remote.reset();
  // relaxed: only uniqueness matters.
  s->generation.store(lives.fetch_add(life_step, relaxed), relaxed);
  for (std::uint32_t i = 1; i < info.slices; ++i) {
    slab* const further = slab_in(record_of(s) + i);
    further->kind = slice_kind::interior;
    further->back = i;
  }
  s->borrow_slot = static_cast<std::uint8_t>(h.account == nullptr ? c + 1 : 0);
  s->kind = slice_kind::slab;
  s->owner.store(h.token, relaxed);  // the blocks' receivers learn of it with the blocks
}

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

std::uint32_t collect_remote(slab* s) {
  const block_list list = s->remote.collect(s->start);
  if (list.count == 0) return 0;
  next_generation(s);
  s->countdown -= list.count;
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

void forget_blocks(slab* s) {
  s->remote.collect(s->start);
  next_generation(s);
  s->free = nullptr;
  s->countdown = s->later = 0;
  s->carved.store(0, relaxed);
}

std::uint32_t list_length(const slab* s) {
  std::uint32_t n = 0;
  for (const block* b = s->free; b != nullptr; b = b->next) ++n;
  return n;
}

void settle(thread_heap& h, slab* s, std::uint32_t used) {
  if (used != 0) return enter_bin(h, s, used);
  s->countdown = s->later = 0;
  if (!keep_empty(h, s)) give_slab(s);
}

void forget_span(spans::record* first, std::size_t slices) {
  slab_in(first)->owner.store(nobody_owns,
                              relaxed);  // no block is in use: no thread can compare it
  slab_in(first)->borrow_slot = 0;
  for (std::size_t i = 0; i < slices; ++i) slab_in(first + i)->kind = slice_kind::none;
}

void give_slab(slab* s) {
  spans::record* const first = record_of(s);
  forget_span(first, class_table[s->size_class].slices);
  spans::give(first);
}

slab* take_kept_empty(thread_heap& h, std::size_t c) {
  for (auto& slot : h.kept_empty) {
    slab* s = slot.load(relaxed);
    if (s == nullptr) continue;
    // A purge may take the slab before the exchange does. relaxed: only the heap's own thread puts
    // slabs here, and a heap changes threads under a lock.
    s = slot.exchange(nullptr, relaxed);
    if (s == nullptr) continue;
    if (class_table[s->size_class].slices == class_table[c].slices) {
      if (s->size_class != c) set_up(h, s, s->start, c);
      return s;
    }
    slab* expected = nullptr;
    // release pairs with the purge's acquire: our reading of the record comes before its reuse.
    if (!slot.compare_exchange_strong(expected, s, release, relaxed)) give_slab(s);
  }
  return nullptr;
}

void drop_kept_empty(thread_heap& h) {
  for (auto& slot : h.kept_empty)
    // acquire pairs with keep_empty(): the record of the slab.
    if (slab* s = slot.exchange(nullptr, acquire)) give_slab(s);
}

void set_current(thread_heap& h, std::size_t c, slab* s) {
  h.current[c] = s;
  if (class_bytes(c) > direct_max) return;
  const std::size_t from = c == 0 ? 0 : direct_slot(class_bytes(c - 1)) + 1;
  for (std::size_t k = from; k <= direct_slot(class_bytes(c)); ++k) h.direct[k] = s;
}

void make_current(thread_heap& h, slab* s) {
  s->countdown = blocks_in_use(s);
  s->later = 0;
  set_current(h, s->size_class, s);
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
    s->countdown = s->later = no_event;  // their sum is 0
    return;
  }
  leave_bin(h, s);
  settle(h, s, s->later);
}

}  // namespace heapsmith
