// Settings are checked when the process starts. When it ends, statistics are written, and free
// blocks looked at once more.
#include <errno.h>
#include <stdlib.h>

#include "os/settings.hpp"
#include "slabs/free_list.hpp"
#include "slabs/thread_heap.hpp"
#include "threads/all_heaps.hpp"
#include "threads/shared_heap.hpp"
#include "threads/threads.hpp"
#include "watch/mistakes.hpp"
#include "watch/on_signal.hpp"
#include "watch/report.hpp"
#include "watch/version.hpp"

namespace heapsmith::watch {

// Defined here, so that a program linked with libheapsmith.a has the constructor below: the C API
// refers to it.
constexpr char version[] = HS_TEXT(HEAPSMITH_VERSION_MAJOR) "." HS_TEXT(
    HEAPSMITH_VERSION_MINOR) "." HS_TEXT(HEAPSMITH_VERSION_PATCH);

namespace {

void read_wishes() {
  const int saved = errno;
  report_mistakes();
  if (os::value_of(os::setting::verbose).number != 0) list_settings();
  if (prepare_report()) report_on_signals();
  errno = saved;
}

/// Reads them when this copy of the library begins to serve the process: now, or with the first
/// block that somebody asks it for. The address of malloc does not tell: a program may have a
/// malloc of its own, which calls this one or does not, and its entry for malloc may stand for the
/// address of this one. Other copies' functions may replace those of this copy: the preload
/// library's replace those of a libheapsmith.so.
[[gnu::constructor(102)]] void read_wishes_when_serving() {
  if (hs_version() != version) return;
  // acquire pairs with the release in make_heap(): libraries that began earlier may have allocated.
  if (hs_own_malloc == nullptr || hs_own_malloc == malloc || all_heaps.load(acquire) != nullptr)
    read_wishes();
  else
    before_first_heap.store(read_wishes, relaxed);  // see its declaration
}

/// Tells mistakes that no slow path came across: looks at this thread's free blocks, in the current
/// slab of each class, in the first slab of each bin, and among those that it caches.
void look_at_free_blocks_again() {
  const thread_heap& h = *t_heap;
  if (h.busy || &h == &empty_heap) return;
  look_at_cached(h);
  for (const slab* s : h.current)
    if (s->free != nullptr) look_at_the_end(s);
  if (h.binned == 0) return;
  for (const auto& bins : h.bins)
    for (const slab* s : bins)
      if (s != nullptr) look_at_the_end(s);
}

[[gnu::destructor]] void end() {
  write_report();
  look_at_free_blocks_again();
}

}  // namespace
}  // namespace heapsmith::watch
