// The walk that counts blocks and slabs by class.
#include "watch/classes.hpp"

#include "os/os.hpp"
#include "slabs/slab.hpp"
#include "slabs/thread_heap.hpp"
#include "watch/seen.hpp"

namespace heapsmith::watch {
namespace {

__attribute__((no_sanitize("thread"))) void add_slab(const spans::record* r, class_counts& out) {
  const slab* s = slab_in(r);
  if (s->kind != slice_kind::slab) return;
  class_count_of_slabs& c = out.of[s->size_class];
  const std::size_t blocks = blocks_seen_in_use(s);
  c.blocks += blocks;
  ++c.slabs;
  if (blocks < s->capacity) ++c.slabs_with_room;
}

/// Under the spans' lock no span is taken or given back, so each is visited once.
template <class Visit>
void visit_records(Visit visit) {
  const os::lock_guard guard(spans::the_lock());
  // acquire pairs with the release of a new range: its fields are complete.
  for (std::size_t k = 0; k < spans::range_count.load(acquire); ++k) {
    const spans::range& r = spans::ranges[k];
    const std::size_t n = r.slices.load(acquire);  // pairs with grow_range_locked()
    for (std::size_t i = 0; i < n; ++i) visit(r.records + i);
  }
}

}  // namespace

class_counts count_classes() {
  class_counts out = {};
  visit_records([&](const spans::record* r) { add_slab(r, out); });
  return out;
}

class_counts count_classes(const spans::account& heap) {
  class_counts out = {};
  const os::lock_guard guard(spans::the_lock());
  for (const spans::record* r = heap.first; r != nullptr; r = r->account_next) add_slab(r, out);
  return out;
}

std::size_t bytes_in(const class_counts& counts) {
  std::size_t bytes = 0;
  for (std::size_t c = 0; c < class_count; ++c) bytes += counts.of[c].blocks * class_bytes(c);
  return bytes;
}

std::size_t free_bytes_of_this_thread() {
  auto bytes = static_cast<std::size_t>(t_heap->budget.cached());
  visit_records([&](const spans::record* r) {
    const slab* s = slab_in(r);
    // relaxed: if it is this thread, this thread wrote it.
    if (s->owner.load(relaxed) != os::thread_token()) return;
    bytes += (s->capacity - blocks_seen_in_use(s)) * class_bytes(s->size_class);
  });
  return bytes;
}

}  // namespace heapsmith::watch
