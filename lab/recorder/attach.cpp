// The functions that `heapsmith record -p` calls in a running process, after it has loaded the
// recorder there.
#include <errno.h>
#include <malloc.h>

#include "allocator.hpp"
#include "got.hpp"
#include "record/calls.hpp"
#include "record/file.hpp"
#include "record/resident.hpp"

#define HS_CALLED_BY_COMMAND extern "C" __attribute__((visibility("default"), used))

namespace heapsmith::recorder {
namespace {

/// The command reads this after a call. lab/cli/src/attach/remote_recorder.rs has the same fields.
struct attach_result {
  std::uint32_t status;
  std::int32_t error;  // an errno
  std::uint64_t live_bytes;
  std::uint32_t live;     // a live_known
  std::uint32_t entries;  // that were redirected
  std::uint64_t mark;     // the address of both words that end a recording
};
enum status : std::uint32_t { is_attached, records_already, no_allocator, no_file };

constinit attach_result result = {};

/// Returns: whether the allocator says how many bytes are in use.
bool ask_allocator(std::uint64_t& bytes) {
  std::size_t n = 0;
  using mallctl_function = int(const char*, void*, std::size_t*, void*, std::size_t);
  if (auto* f = reinterpret_cast<mallctl_function*>(find_beside_allocator("mallctl"))) {
    std::uint64_t epoch = 1;
    std::size_t length = sizeof epoch;
    f("epoch", &epoch, &length, &epoch, sizeof epoch);  // has jemalloc sum up
    length = sizeof n;
    if (f("stats.allocated", &n, &length, nullptr, 0) != 0) return false;
    bytes = n;
    return true;
  }
  using property_function = int(const char*, std::size_t*);
  constexpr char property[] = "MallocExtension_GetNumericProperty";  // of tcmalloc
  if (auto* f = reinterpret_cast<property_function*>(find_beside_allocator(property))) {
    if (f("generic.current_allocated_bytes", &n) == 0) return false;
    bytes = n;
    return true;
  }
  using info_function = struct mallinfo2();
  if (auto* f = reinterpret_cast<info_function*>(find_beside_allocator("mallinfo2"))) {
    const struct mallinfo2 now = f();
    bytes = now.uordblks + now.hblkhd;
    return true;
  }
  return false;
}

void attach(const char* directory) {
  if (is_recording()) {
    result.status = records_already;
    return;
  }
  stop();  // the folder of a recording that nobody ended is gone
  if (!find_allocator()) {
    result.status = no_allocator;
    return;
  }
  const bool is_told = ask_allocator(result.live_bytes);
  if (!is_told) result.live_bytes = anonymous_bytes();
  const live_known known = is_told ? live_known::by_allocator : live_known::as_resident;
  result.live = static_cast<std::uint32_t>(known);
  errno = 0;
  if (!start_in(directory)) {
    result.status = no_file;
    result.error = errno;
    stop();
    return;
  }
  header().live_bytes = result.live_bytes;
  header().attached = known;
  result.entries = redirect_calls();
  result.status = is_attached;
}

}  // namespace
}  // namespace heapsmith::recorder

HS_CALLED_BY_COMMAND void* heapsmith_recorder_attach(const char* directory) {
  using namespace heapsmith::recorder;
  stream& s = here;
  s.calls_itself = true;
  result = {};
  result.mark = reinterpret_cast<std::uint64_t>(&mark);
  attach(directory);
  s.calls_itself = false;
  return &result;
}

/// Effects: ends what heapsmith_recorder_attach() began. The library stays loaded.
HS_CALLED_BY_COMMAND void* heapsmith_recorder_stop() {
  using namespace heapsmith::recorder;
  stream& s = here;
  s.calls_itself = true;
  note_all_resident();
  stop();
  restore_calls();
  s.calls_itself = false;
  return &result;
}
