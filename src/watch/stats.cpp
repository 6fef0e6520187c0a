// The walk that counts blocks in use: the fast paths count nothing.
#include "watch/stats.hpp"

#include <algorithm>

#include "spans/direct_maps.hpp"
#include "threads/all_heaps.hpp"
#include "threads/shared_heap.hpp"
#include "watch/seen.hpp"

namespace heapsmith::watch {
namespace {

template <class Statistics>
__attribute__((no_sanitize("thread"))) void add_span(const spans::record* r, Statistics& out) {
  const slab* s = slab_in(r);
  if (s->kind == slice_kind::large) {
    out.large_bytes += std::size_t{r->slices} * slice_bytes;
  } else if (s->kind == slice_kind::slab) {
    out.slab_bytes += std::size_t{r->slices} * slice_bytes;
    out.in_use_bytes += blocks_seen_in_use(s) * class_table[s->size_class].bytes;
  }
}

__attribute__((no_sanitize("thread"))) std::size_t bytes_seen_cached(const thread_heap& h) {
  return static_cast<std::size_t>(std::max<std::int64_t>(h.budget.cached(), 0));
}

void walk(const spans::range& r, hs_statistics& out) {
  const std::size_t n = r.slices.load(acquire);  // pairs with grow_range_locked()
  for (std::size_t i = 0; i < n; ++i) add_span(r.records + i, out);
}

}  // namespace

hs_statistics measure() {
  hs_statistics out = {};
  out.size = sizeof out;
  // Under the spans' lock no span is taken or given back, so each is counted once.
  {
    const os::outer_guard guard(spans::the_lock());
    // acquire pairs with the release of a new range: its fields are complete.
    for (std::size_t k = 0; k < spans::range_count.load(acquire); ++k) walk(spans::ranges[k], out);
  }
  const spans::direct_map_stats direct = spans::stats_of_direct_maps();
  out.direct_maps = direct.maps;
  out.direct_bytes = direct.bytes;
  out.in_use_bytes += out.large_bytes + direct.bytes;
  const spans::span_stats spans = spans::stats();
  out.cached_bytes += spans.cached_bytes;
  out.metadata_bytes = spans.metadata_bytes;
  out.committed_bytes = spans.committed_bytes;
  out.peak_bytes = spans.peak_bytes;
  out.span_takes = spans.takes;
  out.span_gives = spans.gives;
  out.purges = spans.purges;
  out.purged_bytes = spans.purged_bytes;
  out.refaults = spans.refaults;
  out.growths = spans.growths;
  const std::int64_t in_depot = middle_bytes.in_depot.load(relaxed);
  auto cached = static_cast<std::size_t>(std::max<std::int64_t>(in_depot, 0));
  for (const thread_heap* h = all_heaps.load(acquire); h != nullptr; h = h->next, ++out.heaps)
    cached += bytes_seen_cached(*h);
  out.in_use_bytes -= std::min(cached, out.in_use_bytes);
  return out;
}

hs_heap_statistics measure(const spans::account& heap) {
  hs_heap_statistics out = {};
  out.size = sizeof out;
  const os::lock_guard guard(spans::the_lock());
  for (const spans::record* r = heap.first; r != nullptr; r = r->account_next) add_span(r, out);
  out.direct_bytes = heap.direct;
  out.in_use_bytes += out.large_bytes + heap.direct;
  out.held_bytes = heap.held;
  out.peak_bytes = std::max(heap.peak, heap.held);  // a direct map counts before it is settled
  out.limit_bytes = heap.limit;
  return out;
}

}  // namespace heapsmith::watch
