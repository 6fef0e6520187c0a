// The malloc family: passes each call on to the next allocator, and records it.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>

#include "next.hpp"
#include "record/calls.hpp"

#define HS_RECORDS extern "C" __attribute__((visibility("default"), used))

using namespace heapsmith::recorder;

namespace {

size_t page_bytes() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

HS_RECORDS void* malloc(size_t bytes) noexcept {
  const next_functions* to = next();
  if (to == nullptr) [[unlikely]]
    return boot_allocate(bytes, 16);
  void* p = to->malloc(bytes);
  if (is_recorded(here)) record_made(op::malloc, api::malloc, p, bytes, 1, HS_CALLER);
  return p;
}

HS_RECORDS void free(void* p) noexcept {
  if (is_boot_block(p)) [[unlikely]]
    return;
  const next_functions* to = next();
  if (to == nullptr) return;  // what the lookup itself allocated is a boot block
  if (is_recorded(here)) record_ended(op::free, p, HS_CALLER);
  to->free(p);
}

HS_RECORDS void* calloc(size_t n, size_t each) noexcept {
  const next_functions* to = next();
  size_t bytes;
  if (__builtin_mul_overflow(n, each, &bytes)) bytes = SIZE_MAX;
  if (to == nullptr) [[unlikely]]
    return boot_allocate(bytes, 16);  // never used before, so all zeros
  void* p = to->calloc(n, each);
  if (is_recorded(here)) record_made(op::calloc, api::calloc, p, bytes, 1, HS_CALLER);
  return p;
}

HS_RECORDS void* realloc(void* old, size_t bytes) noexcept {
  const next_functions* to = next();
  if (to == nullptr || is_boot_block(old)) [[unlikely]] {
    void* p = to == nullptr ? boot_allocate(bytes, 16) : malloc(bytes);
    if (p != nullptr && old != nullptr) {
      const size_t readable = boot_bytes_from(old);
      memcpy(p, old, bytes < readable ? bytes : readable);
    }
    return p;
  }
  if (!is_recorded(here)) return to->realloc(old, bytes);
  const std::uint64_t before = tick_now();
  void* p = to->realloc(old, bytes);
  record_realloc(old, p, bytes, before, HS_CALLER);
  return p;
}

HS_RECORDS void* aligned_alloc(size_t align, size_t bytes) noexcept {
  const next_functions* to = next();
  if (to == nullptr) [[unlikely]]
    return boot_allocate(bytes, align);
  void* p = to->aligned_alloc(align, bytes);
  if (is_recorded(here))
    record_made(op::other_allocation, api::aligned_alloc, p, bytes, align, HS_CALLER);
  return p;
}

HS_RECORDS int posix_memalign(void** out, size_t align, size_t bytes) noexcept {
  const next_functions* to = next();
  if (to == nullptr) [[unlikely]]
    return (*out = boot_allocate(bytes, align)) == nullptr ? ENOMEM : 0;
  const int error = to->posix_memalign(out, align, bytes);
  if (is_recorded(here))
    record_made(op::other_allocation, api::posix_memalign, error == 0 ? *out : nullptr, bytes,
                align, HS_CALLER);
  return error;
}

HS_RECORDS void* memalign(size_t align, size_t bytes) noexcept {
  const next_functions* to = next();
  if (to == nullptr) [[unlikely]]
    return boot_allocate(bytes, align);
  void* p = to->memalign(align, bytes);
  if (is_recorded(here))
    record_made(op::other_allocation, api::memalign, p, bytes, align, HS_CALLER);
  return p;
}

HS_RECORDS void* valloc(size_t bytes) noexcept {
  const next_functions* to = next();
  if (to == nullptr) return nullptr;
  void* p = to->valloc(bytes);
  if (is_recorded(here))
    record_made(op::other_allocation, api::valloc, p, bytes, page_bytes(), HS_CALLER);
  return p;
}

HS_RECORDS void* pvalloc(size_t bytes) noexcept {
  const next_functions* to = next();
  if (to == nullptr) return nullptr;
  void* p = to->pvalloc(bytes);
  if (is_recorded(here))
    record_made(op::other_allocation, api::pvalloc, p, bytes, page_bytes(), HS_CALLER);
  return p;
}

HS_RECORDS size_t malloc_usable_size(void* p) noexcept {
  if (p == nullptr) return 0;
  if (is_boot_block(p)) return boot_bytes_from(p) < 16 ? boot_bytes_from(p) : 16;
  const next_functions* to = next();
  if (to == nullptr) return 0;
  if (is_recorded(here)) record_usable_size(p, HS_CALLER);
  return to->usable_size(p);
}
