// The functions of malloc's family that are rarely called.
#include "adapt/surface.hpp"

#include <bit>
#include <cstdint>

#include "base/units.hpp"
#include "os/os.hpp"

namespace heapsmith::surface {

void* invalid() {
  errno = EINVAL;
  return nullptr;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return is_power_of_two(alignment) ? allocate_aligned(size, alignment) : invalid();
}

void* memalign(std::size_t alignment, std::size_t size) {
  if (alignment > (SIZE_MAX >> 1) + 1) return invalid();
  return allocate_aligned(size, std::bit_ceil(alignment));
}

int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* p = allocate_aligned(size, alignment);
  if (p == nullptr) return ENOMEM;  // errno is set as well, as in glibc: programs check either
  *out = p;
  return 0;
}

void* pvalloc(std::size_t size) {
  if (size > object_max) return out_of_memory();
  return valloc(round_up(size == 0 ? 1 : size, os::page_bytes()));
}

}  // namespace heapsmith::surface
