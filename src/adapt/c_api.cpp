// The C API of the heap.
#define HEAPSMITH_BUILDING
#include "heapsmith/heapsmith.h"

#include <errno.h>
#include <string.h>

#include <algorithm>

#include "adapt/call_probe.hpp"
#include "adapt/stats.hpp"
#include "adapt/surface.hpp"
#include "heap/purge.hpp"
#include "spans/spans.hpp"
#include "watch/print.hpp"
#include "watch/stats.hpp"
#include "watch/version.hpp"

namespace hs = heapsmith;
namespace surface = heapsmith::surface;
namespace probe = heapsmith::probe;
using probe::api, probe::op;

extern "C" {

void* hs_malloc(size_t size) {
  return probe::made(api::malloc, surface::malloc(size), size);
}
void hs_free(void* p) {
  probe::ending(op::free, p);
  surface::free_own(p);
}
void* hs_calloc(size_t count, size_t size) {
  void* p = surface::calloc(count, size);
  return probe::made(api::calloc, p, probe::bytes_of(count, size));
}
void* hs_realloc(void* p, size_t size) {
  const probe::resizing call(p);
  return call.made(surface::realloc(p, size, hs::abort_at_foreign), size);
}
void* hs_reallocarray(void* p, size_t count, size_t size) {
  size_t bytes;
  if (!__builtin_mul_overflow(count, size, &bytes)) return hs_realloc(p, bytes);
  const probe::resizing call(p);
  return call.made(hs::out_of_memory(), SIZE_MAX);
}
void hs_free_sized(void* p, size_t size) {
  surface::require_size(p, size);
  hs_free(p);
}
void hs_free_aligned_sized(void* p, size_t, size_t size) {
  surface::require_size(p, size);
  hs_free(p);
}
void hs_cfree(void* p) __attribute__((alias(HS_TEXT(hs_free))));
void* hs_memalign(size_t alignment, size_t size) {
  return probe::made(api::memalign, surface::memalign(alignment, size), size, alignment);
}
void* hs_aligned_alloc(size_t alignment, size_t size) {
  void* p = surface::aligned_alloc(alignment, size);
  return probe::made(api::aligned_alloc, p, size, alignment);
}
int hs_posix_memalign(void** out, size_t alignment, size_t size) {
  const int error = surface::posix_memalign(out, alignment, size);
  probe::made(api::posix_memalign, error == 0 ? *out : nullptr, size, alignment);
  return error;
}
void* hs_valloc(size_t size) {
  return probe::made(api::valloc, surface::valloc(size), size, probe::page_bytes());
}
void* hs_pvalloc(size_t size) {
  return probe::made(api::pvalloc, surface::pvalloc(size), size, probe::page_bytes());
}

void* hs_aligned_realloc(void* p, size_t alignment, size_t size) {
  if (!hs::is_power_of_two(alignment)) return surface::invalid();
  if (p == nullptr) {
    p = surface::aligned_alloc(alignment, size);
    return probe::made(api::aligned_alloc, p, size, alignment);
  }
  const probe::resizing call(p);
  if (size == 0 || alignment <= hs::block_align) return call.made(hs::reallocate(p, size), size);
  if (reinterpret_cast<uintptr_t>(p) % alignment == 0 && hs::try_resize(p, size))
    return call.made(p, size);
  void* q = hs::allocate_aligned_beside(p, size, alignment);
  probe::made(api::aligned_alloc, q, size, alignment);
  if (q == nullptr) return nullptr;
  memcpy(q, p, std::min(size, hs::usable_bytes(p)));
  hs_free(p);
  return q;
}

size_t hs_malloc_usable_size(const void* p) {
  probe::asked(p);
  return hs::usable_bytes(p);
}
size_t hs_good_size(size_t size) {
  return hs::good_bytes(size);
}
int hs_try_expand(void* p, size_t size) {
  return p != nullptr && size <= hs::object_max && hs::try_expand(p, size) ? 0 : ENOMEM;
}

size_t hs_purge(void) {
  return hs::purge_all();
}
size_t hs_thread_purge(void) {
  return hs::purge_this_thread();
}
int hs_prefault(size_t bytes) {
  return bytes <= hs::object_max && hs::spans::prefault(bytes) ? 0 : ENOMEM;
}
void hs_set_limit(size_t bytes) {
  hs::spans::set_limit(bytes);
}

int hs_stats(hs_statistics* out) {
  if (!surface::can_take_stats(out)) return EINVAL;
  return surface::give_stats(hs::watch::measure(), out);
}

const char* hs_version(void) {
  return hs::watch::version;
}

int hs_malloc_trim(size_t) {
  return hs::purge_all() != 0 ? 1 : 0;
}
void hs_malloc_stats(void) {
  hs::watch::print_statistics(2);
}
int hs_malloc_info(int options, FILE* stream) {
  return hs::watch::print_malloc_info(options, stream);
}
int hs_mallopt(int parameter, int value) {
  return hs::tune(parameter, value);
}

}  // extern "C"
