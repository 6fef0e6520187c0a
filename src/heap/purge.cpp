// Purging, from the outside in.
#include "heap/purge.hpp"

#include "heap/reclaim.hpp"
#include "spans/spans.hpp"
#include "threads/slow_section.hpp"
#include "threads/sub_heaps.hpp"
#include "threads/threads.hpp"

namespace heapsmith {
namespace {

/// M_TRIM_THRESHOLD of glibc's <malloc.h>: programs for glibc call mallopt with it.
constexpr int trim_threshold = -1;

}  // namespace

std::size_t purge_all() {
  thread_heap* h = this_thread_heap();
  if (h == nullptr) return 0;
  const slow_section section(h);
  return section ? purge_everything(*h) : 0;
}

std::size_t purge_this_thread() {
  thread_heap* h = this_thread_heap();
  if (h == nullptr) return 0;
  const slow_section section(h);
  if (!section) return 0;
  const std::size_t before = spans::stats().purged_bytes;
  shed(*h);
  shed_sub_heaps(*h);
  return spans::stats().purged_bytes - before;
}

int tune(int parameter, int value) {
  if (parameter == trim_threshold)
    spans::set_cache_cap(value < 0 ? spans::never_purge : static_cast<std::size_t>(value));
  return 1;
}

}  // namespace heapsmith
