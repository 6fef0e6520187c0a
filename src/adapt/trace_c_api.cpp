// The C API of traces in libheapsmith_trace.so.
#define HEAPSMITH_BUILDING
#include "heapsmith/heapsmith.h"
#include "watch/record/calls.hpp"
#include "watch/record/recording.hpp"
#include "watch/record/resident.hpp"

namespace recorder = heapsmith::recorder;

extern "C" {

int hs_trace_start(const char* directory) {
  const recorder::own_calls mine(recorder::here);
  return recorder::start_recording(directory);
}

int hs_trace_stop(void) {
  recorder::stream& s = recorder::here;
  const recorder::own_calls mine(s);
  recorder::record_all_resident();
  if (const int error = recorder::stop_recording()) return error;
  recorder::leave(s);
  recorder::large.clear();
  return 0;
}

}  // extern "C"
