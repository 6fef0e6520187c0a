// The C API of traces in libheapsmith_trace.so.
#define HEAPSMITH_BUILDING
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "adapt/call_probe.hpp"
#include "heapsmith/heapsmith.h"
#include "record/calls.hpp"
#include "record/file.hpp"

namespace recorder = heapsmith::recorder;
using heapsmith::acquire, heapsmith::relaxed, heapsmith::release;

constinit heapsmith::atomic<bool> heapsmith::probe::is_tracing{false};

namespace {

/// Whether a thread starts or stops a recording now. Another one that tries to is told that it
/// comes too late.
constinit heapsmith::atomic<bool> is_changing{false};

int start(const char* directory) {
  if (directory == nullptr || directory[0] != '/') return EINVAL;
  if (strlen(directory) >= PATH_MAX / 2) return EINVAL;
  errno = 0;
  if (recorder::start_in(directory)) {
    heapsmith::probe::is_tracing.store(true, release);
    return 0;
  }
  const int error = errno;
  recorder::stop();
  return error != 0 ? error : EIO;
}

void stop() {
  recorder::note_all_resident();
  heapsmith::probe::is_tracing.store(false, relaxed);  // relaxed: see is_on()
  recorder::stop();
}

/// Effects: calls `f` if the state is `expected`, and no other thread changes it.
template <class F>
int change(bool expected, F f) {
  recorder::stream& s = recorder::here;
  // acquire and release: a thread sees what the last change did.
  if (is_changing.exchange(true, acquire)) return EALREADY;
  const bool outer = s.calls_itself;
  s.calls_itself = true;
  const int error = heapsmith::probe::is_tracing.load(relaxed) == expected ? f() : EALREADY;
  s.calls_itself = outer;
  is_changing.store(false, release);
  return error;
}

/// HEAPSMITH_RECORD_DIR starts a recording at load.
[[gnu::constructor]] void start_at_load() {
  heapsmith::probe::is_tracing.store(recorder::open_file(), relaxed);  // relaxed: one thread
}

}  // namespace

extern "C" {

int hs_trace_start(const char* directory) {
  return change(false, [directory] { return start(directory); });
}

int hs_trace_stop(void) {
  return change(true, [] {
    stop();
    return 0;
  });
}

}  // extern "C"
