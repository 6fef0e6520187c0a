// A library that a program loads while it is recorded.
#include <stdlib.h>

void* make(size_t bytes) {
  return malloc(bytes);
}
