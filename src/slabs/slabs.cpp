// The life of a slab: set up on a span, carved, settled by how full it is, kept empty, given back.
#include "slabs/slabs.hpp"

#include <algorithm>
#include <array>

#include "heapsmith/detail/check.hpp"
#include "os/os.hpp"
#include "slabs/bins.hpp"
#include "slabs/came_back.hpp"
#include "slabs/free_list.hpp"
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

struct class_facts {
  std::uint8_t first_slot, end_slot;  // of the class in thread_heap::direct
  // So many blocks of a calm class may come and go without an event: an OS page of them, or one.
  std::uint8_t calm_blocks;
};

constexpr auto facts = [] {
  std::array<class_facts, class_count> table{};
  for (std::size_t c = 0; c < class_count; ++c) {
    table[c].calm_blocks =
        static_cast<std::uint8_t>(std::clamp<std::size_t>(4 * KiB / class_bytes(c), 1, 128));
    if (class_bytes(c) > direct_max) continue;
    const std::size_t first = c == 0 ? 0 : direct_slot(class_bytes(c - 1)) + 1;
    table[c].first_slot = static_cast<std::uint8_t>(first);
    table[c].end_slot = static_cast<std::uint8_t>(direct_slot(class_bytes(c)) + 1);
  }
  return table;
}();

/// A slab off a stack of posted ones, or one that this thread claimed, becomes one of `h`. Returns
/// how many of its blocks are in use.
std::uint32_t own_slab(thread_heap& h, slab* s) {
  // Before the slab is owned: a push that finds it so, and lists it, reads its home.
  s->home.store(&h, relaxed);
  // relaxed: frees that compare it as foreign meanwhile push to the remote word, as before.
  s->owner.store(h.token, relaxed);
  s->free = nullptr;
  return s->carved.load(relaxed) - collect_remote(s, remote_word::taken::off_a_stack);
}

/// Threads cache the longest blocks, and the spans' cache has room for what they return.
bool may_be_kept(std::size_t c) {
  return class_table[c].bytes <= slab_block_max;
}

/// A wholly free slab is about to be kept. While it is, no block of it is in use: a free finds no
/// owner and nothing carved, and reports the mistake.
void close(slab* s) {
  look_at_free_blocks(s);
  s->later = s->carved.load(relaxed);
  s->carved.store(0, relaxed);
  s->owner.store(nobody_owns, relaxed);
}

/// A slab that was set aside is about to serve class `c` again. Nobody has it or a block of it.
void grow_calm(thread_heap& h, std::size_t c, slab* s) {
  if (s->later == 1 || s->later * class_table[c].bytes <= os::page_bytes()) {
    h.calm[c] |= returns_until_calm;
  } else if (is_calm(h, c)) {
    watch_again(h, c);
  } else if (++h.calm[c] == returns_until_calm) {
    h.calm[c] |= calmed_before;
    spans::release_contents(s->start, s->later * class_table[c].bytes);
    s->free = nullptr;
    s->later = 0;
  }
}

/// A kept slab serves its class again, with its list as it was.
slab* reuse(thread_heap& h, slab* s) {
  s->carved.store(s->later, relaxed);
  s->later = 0;
  s->owner.store(h.token, relaxed);  // as in set_up()
  return s;
}

/// A current slab is wholly free.
void set_aside(thread_heap& h, slab* s) {
  const std::size_t c = s->size_class;
  // It stays the current one until it comes off the stack, or until the next free.
  if (s->remote.is_listed() || may_not_end_now()) return;
  set_current(h, c, &no_slab);
  close(s);
  if (!may_be_kept(c)) return give_slab(s);
  const unsigned slot = h.kept.add(record_of(s), class_table[c].slices, kept_slices_in_use(),
                                   static_cast<std::uint8_t>(c + 1));
  if (slot == kept_slots) return give_slab(s);
  note_came_back();
  h.set_aside[c] = static_cast<std::uint8_t>(slot + 1);
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
  const auto slot = static_cast<std::uint8_t>(h.account == nullptr ? c + 1 : 0);
  for (std::uint32_t i = 1; i < info.slices; ++i) {
    slab* const further = slab_in(record_of(s) + i);
    further->kind = slice_kind::interior;
    further->back = static_cast<std::uint16_t>(i);
    further->borrow_slot = is_middle(c) ? slot : std::uint8_t{0};
  }
  s->outgoing_at =
      static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>(s) / sizeof(spans::record) %
                                 outgoing_slots * sizeof(outgoing_batch));
  s->back = 0;
  s->borrow_slot = slot;
  s->kind = slice_kind::slab;
  s->owner.store(h.token, relaxed);  // the blocks' receivers learn of it with the blocks
}

void carve(slab* s) {
  const std::size_t bytes = class_table[s->size_class].bytes;
  const std::uint32_t carved = s->carved.load(relaxed);
  char* const first = s->start + carved * bytes;
  const std::uintptr_t page_end =
      round_up(reinterpret_cast<std::uintptr_t>(first) + 1, os::page_bytes());
  const std::size_t fit = (page_end - reinterpret_cast<std::uintptr_t>(first)) / bytes;
  const auto n = static_cast<std::uint32_t>(
      std::min<std::size_t>(std::max<std::size_t>(fit, 1), s->capacity - carved));
  // The blocks count as in use while they are linked. That touches a new page, and signals often
  // arrive when the kernel has made one: then a handler, or a child that it forks, finds a slab in
  // which nothing is missing.
  s->carved.store(carved + n, relaxed);
  s->countdown += n;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  char* last = first;
  for (std::uint32_t i = 1; i < n; ++i, last += bytes)
    reinterpret_cast<block*>(last)->next = reinterpret_cast<block*>(last + bytes);
  reinterpret_cast<block*>(last)->next = nullptr;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  reinterpret_cast<block*>(last)->next = s->free;  // what the handler freed
  s->free = reinterpret_cast<block*>(first);
  s->countdown -= n;
}

std::uint32_t collect_remote(slab* s, remote_word::taken how) {
  const block_batch list = s->remote.collect(s->start, how);
  if (list.count == 0) return 0;
  next_generation(s);
  look_at(s, {list.first, list.count});
  if (s->free != nullptr) link_behind(s, list.last, s->free);
  s->free = list.first;
  // They count as in use until they are listed: a child that a signal handler forks here finds a
  // slab in which nothing is missing.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  s->countdown -= list.count;
  return list.count;
}

void forget_blocks(slab* s) {
  s->free = nullptr;
  collect_remote(s);
  s->free = nullptr;
  s->countdown = s->later = 0;
  s->carved.store(0, relaxed);
}

void settle(thread_heap& h, slab* s, std::uint32_t used) {
  if (used != 0 || s->remote.is_listed() || may_not_end_now()) return enter_bin(h, s, used);
  s->countdown = s->later = 0;
  close(s);
  const std::size_t c = s->size_class;
  if (!may_be_kept(c) || h.kept.add_unwanted(record_of(s), class_table[c].slices) == kept_slots)
    return give_slab(s);
  note_came_back();
}

void adopt_slab(thread_heap& h, slab* s) {
  settle(h, s, own_slab(h, s));
}

void collect_reported(thread_heap& h) {
  for (slab *s = h.reported.pop_all(), *next; s != nullptr; s = next) {
    next = s->posted_next;
    if (s->remote.is_disowned()) {  // the thread that had the heap left it; this one adopted it
      adopt_slab(h, s);
      continue;
    }
    if (h.current[s->size_class] == s) {
      collect_remote(s, remote_word::taken::off_a_stack);
      continue;
    }
    leave_bin(h, s);
    collect_remote(s, remote_word::taken::off_a_stack);
    settle(h, s, blocks_in_use(s));
  }
}

bool free_in_full(thread_heap& h, slab* s, block* b) {
  if (s->owner.load(relaxed) != nobody_owns || !s->remote.claim()) return false;
  const std::uint32_t used = own_slab(h, s) - 1;
  b->next = s->free;
  s->free = b;
  settle(h, s, used);  // 0 where its owner ended before it cut more
  return true;
}

void forget_span(spans::record* first, std::size_t slices) {
  slab_in(first)->owner.store(nobody_owns,
                              relaxed);  // no block is in use: no thread can compare it
  for (std::size_t i = 0; i < slices; ++i) {
    slab_in(first + i)->kind = slice_kind::none;
    slab_in(first + i)->borrow_slot = 0;
  }
}

bool may_not_end_now() {
  return os::interrupts(spans::the_lock());
}

void give_slab(slab* s) {
  spans::record* const first = record_of(s);
  forget_span(first, class_table[s->size_class].slices);
  spans::give(first);
}

slab* reuse_set_aside(thread_heap& h, std::size_t c) {
  if (h.set_aside[c] == 0) return nullptr;
  const unsigned slot = h.set_aside[c] - 1u;
  h.set_aside[c] = 0;
  spans::record* const first =
      h.kept.remove_wanted(slot, class_table[c].slices, static_cast<std::uint8_t>(c + 1));
  if (first == nullptr) {
    note_shortage(h, c);
    watch_again(h, c);
    return nullptr;
  }
  slab* const s = slab_in(first);
  grow_calm(h, c, s);
  return reuse(h, s);
}

slab* reuse_kept(thread_heap& h, std::size_t c) {
  if (slab* s = reuse_set_aside(h, c)) return s;
  spans::record* const first = h.kept.remove_any(class_table[c].slices, is_short(h, c));
  if (first == nullptr) return nullptr;
  slab* const s = slab_in(first);
  if (s->kind == slice_kind::slab && s->size_class == c) return reuse(h, s);
  set_up(h, s, s->start, c);
  return s;
}

void drop_kept(thread_heap& h) {
  h.kept.purge([](spans::record* first) {
    forget_span(first, first->slices);
    spans::give(first);
  });
}

void set_current(thread_heap& h, std::size_t c, slab* s) {
  h.current[c] = s;
  for (std::size_t k = facts[c].first_slot; k < facts[c].end_slot; ++k) h.direct[k] = s;
}

void make_current(thread_heap& h, slab* s) {
  const std::size_t c = s->size_class;
  const std::uint32_t used = blocks_in_use(s), calm = is_calm(h, c) ? facts[c].calm_blocks : 0;
  s->later = used > calm ? 0 : calm;
  s->countdown = used - s->later;
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
    if (s->later == 0) return set_aside(h, s);
    s->countdown = s->later;  // from now on, the next event is that it is wholly free
    s->later = 0;
    return;
  }
  leave_bin(h, s);
  if (s->later != 0) return enter_bin(h, s, s->later, s->bin - 1u);
  settle(h, s, 0);
}

}  // namespace heapsmith
