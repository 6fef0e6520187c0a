// The OS layer of a free-standing program: a function of the program reports misuse.
#include "heapsmith/freestanding.h"
#include "os/misuse.hpp"

namespace heapsmith::os {

void abort_misuse(const char* call, const void* pointer, const char* reason) {
  hs_misuse(call, pointer, reason);
}

}  // namespace heapsmith::os
