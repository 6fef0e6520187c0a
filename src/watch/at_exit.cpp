// Settings are checked when the process starts. When it ends, statistics are written, and free
// blocks looked at once more.
#include <errno.h>

#include "os/settings.hpp"
#include "slabs/free_list.hpp"
#include "slabs/thread_heap.hpp"
#include "watch/on_signal.hpp"
#include "watch/report.hpp"
#include "watch/settings.hpp"
#include "watch/version.hpp"

namespace heapsmith::watch {

// Defined here, so that a program linked with libheapsmith.a has the constructor below: the C API
// refers to it.
constexpr char version[] = HS_TEXT(HEAPSMITH_VERSION_MAJOR) "." HS_TEXT(
    HEAPSMITH_VERSION_MINOR) "." HS_TEXT(HEAPSMITH_VERSION_PATCH);

namespace {

[[gnu::constructor(102)]] void read_wishes() {
  if (!serves_the_process()) return;
  const int saved = errno;
  report_mistakes();
  if (os::value_of(os::setting::verbose).number != 0) list_settings();
  if (prepare_report()) report_on_signals();
  errno = saved;
}

/// Tells mistakes that no slow path came across: looks at this thread's free blocks, in the current
/// slab of each class and in the first slab of each bin.
void look_at_free_blocks_again() {
  const thread_heap& h = *t_heap;
  if (h.busy) return;
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
