// The C API of traces where the probes of calls are off.
#define HEAPSMITH_BUILDING
#include <errno.h>

#include "heapsmith/heapsmith.h"

extern "C" {

int hs_trace_start(const char*) {
  return ENOSYS;
}

int hs_trace_stop(void) {
  return ENOSYS;
}

}  // extern "C"
