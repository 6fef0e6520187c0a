// Letting go of slabs: those that are wholly free, and all of a thread that ends.
#include "slabs/sweep.hpp"

#include "heapsmith/detail/check.hpp"
#include "slabs/audit.hpp"
#include "slabs/bins.hpp"
#include "slabs/depot.hpp"
#include "slabs/free_list.hpp"
#include "slabs/remote_free.hpp"
#include "slabs/slabs.hpp"
#include "spans/spans.hpp"

namespace heapsmith {
namespace {

void exchange_with_others(thread_heap& h) {
  flush_outgoing(h);
  collect_all_posted(h);
}

/// Lets go of a slab in a bin if all its blocks are free, here or on the remote word.
[[gnu::noinline]] void let_go_if_free(thread_heap& h, slab* s, bool collects) {
  const std::uint32_t waiting = s->remote.waiting();
  const bool is_free = waiting == blocks_in_use(s);
  // Waiting blocks are only counted: to join the lists would touch every block that came back.
  if (!is_free && (waiting == 0 || !collects)) return;
  leave_bin(h, s);
  if (is_free) {
    forget_blocks(s);
  } else {
    collect_remote(s);
  }
  settle(h, s, blocks_in_use(s));
}

/// Lets go of wholly free slabs wherever the heap has them: in bins, current, kept empty.
void sweep_all(thread_heap& h) {
  sweep_bins(h);
  for (slab* s : h.current) {
    if (s == &no_slab) continue;
    collect_remote(s);
    look_at_free_blocks(s);
    if (blocks_in_use(s) != 0 || s->remote.is_listed()) continue;
    set_current(h, s->size_class, &no_slab);
    give_slab(s);
  }
  drop_kept(h);
}

/// Leaves an owned slab that lies in no bin to the other threads.
void publish(thread_heap& h, slab* s) {
  const std::size_t c = s->size_class;
  look_at_free_blocks(s, glance / 2);
  s->owner.store(nobody_owns, relaxed);  // as in retire_full()
  block_list rest;
  bool must_list = false;
  do {
    collect_remote(s);
    if (blocks_in_use(s) == 0 && !s->remote.is_listed()) return give_slab(s);
    rest = {s->free, s->carved.load(relaxed) - blocks_in_use(s)};
  } while (!s->remote.publish(s->start, rest, must_list));
  if (must_list) h.posted[c].push(s);
}

}  // namespace

void sweep_bins(thread_heap& h, bool collects) {
  for (auto& bins : h.bins)
    for (slab*& head : bins)
      for (slab *s = head, *next; s != nullptr; s = next) {
        next = s->next;
        let_go_if_free(h, s, collects);
      }
}

void release_free_blocks(thread_heap& h, std::size_t c) {
  const std::size_t page = os::page_bytes(), bytes = class_table[c].bytes;
  const auto release = [=](slab* s) {
    for (block* b = s->free; b != nullptr; b = b->next) {
      auto* const m = static_cast<middle_block*>(b);
      const auto start = reinterpret_cast<std::uintptr_t>(b);
      const std::uintptr_t pages = round_up(start + sizeof *m, page);
      if (m->note != 0 || start + bytes < pages + page) continue;
      spans::release_contents(reinterpret_cast<char*>(pages),
                              round_down(start + bytes - pages, page));
      m->note = 1;
    }
  };
  release(h.current[c]);
  for (slab* s : h.bins[c])
    for (; s != nullptr; s = s->next) release(s);
}

void shed_free_slabs(thread_heap& h) {
  exchange_with_others(h);
  sweep_all(h);
  HS_AUDIT(audit(h));
}

void publish_all(thread_heap& h) {
  exchange_with_others(h);
  HS_AUDIT(audit(h));
  for (slab* s : h.current) {
    if (s == &no_slab) continue;
    set_current(h, s->size_class, &no_slab);
    publish(h, s);
  }
  for (auto& bins : h.bins)
    for (slab*& head : bins)
      while (slab* s = head) {
        leave_bin(h, s);
        publish(h, s);
      }
  // Slabs that others reported meanwhile are posted. One whose pusher is about to do so waits.
  for (slab *s = h.reported.pop_all(), *next; s != nullptr; s = next) {
    next = s->posted_next;
    h.posted[s->size_class].push(s);
  }
  drop_kept(h);
}

}  // namespace heapsmith
