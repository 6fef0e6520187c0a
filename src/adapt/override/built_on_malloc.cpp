// Functions of malloc's family that work with blocks of the malloc that the process has: a
// program may have an allocator of its own. glibc builds its own on these in the same way.
//
// They call realloc and free as the loader has bound them. In a source that defines those,
// compilers would call the definitions.
#include <stdint.h>
#include <stdlib.h>

#include "adapt/call_probe.hpp"
#include "adapt/surface.hpp"

#define HS_REPLACES __attribute__((visibility("default"), used))

extern "C" {

HS_REPLACES void* reallocarray(void* p, size_t count, size_t size) noexcept {
  size_t bytes;
  if (!__builtin_mul_overflow(count, size, &bytes)) return realloc(p, bytes);
  const heapsmith::probe::resizing call(p);
  return call.made(heapsmith::out_of_memory(), SIZE_MAX);
}
HS_REPLACES void cfree(void* p) noexcept {
  free(p);
}
HS_REPLACES void free_sized(void* p, size_t size) noexcept {
  heapsmith::surface::require_size(p, size);
  free(p);
}
HS_REPLACES void free_aligned_sized(void* p, size_t, size_t size) noexcept {
  heapsmith::surface::require_size(p, size);
  free(p);
}

}  // extern "C"
