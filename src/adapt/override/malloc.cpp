// malloc and its family under libc's names. Linked into a program or preloaded, they replace libc's
// for the whole process.
#include <errno.h>
#include <malloc.h>

#include "adapt/call_probe.hpp"
#include "adapt/override/own_operators.hpp"
#include "adapt/surface.hpp"
#include "heap/purge.hpp"
#include "heapsmith/heapsmith.h"
#include "watch/stats.hpp"

#define HS_REPLACES __attribute__((visibility("default"), used))

namespace surface = heapsmith::surface;
namespace probe = heapsmith::probe;
using probe::api, probe::op;

extern "C" {

HS_REPLACES void* malloc(size_t size) noexcept {
  return probe::made(api::malloc, surface::malloc(size), size);
}
/// Tells src/watch whether the process calls this malloc or another copy's.
__attribute__((visibility("hidden"), used, malloc, alloc_size(1))) void*
hs_own_malloc(size_t size) noexcept __attribute__((alias("malloc")));
HS_REPLACES void free(void* p) noexcept {
  probe::ending(op::free, p);
  surface::free(p);
}
#if !defined(HEAPSMITH_TRACE)
// Without probes, these are the same function. The program may replace the operators.
asm(".weak _ZdlPv, _ZdlPvSt11align_val_t\n.set _ZdlPv, free\n.set _ZdlPvSt11align_val_t, free");
HS_OWN(hs_own_delete, free);
HS_OWN(hs_own_delete_aligned, free);
#endif
HS_REPLACES void* calloc(size_t count, size_t size) noexcept {
  void* p = surface::calloc(count, size);
  return probe::made(api::calloc, p, probe::bytes_of(count, size));
}
HS_REPLACES void* realloc(void* p, size_t size) noexcept {
  const probe::resizing call(p);
  return call.made(surface::realloc(p, size, heapsmith::foreign), size);
}
HS_REPLACES void* memalign(size_t alignment, size_t size) noexcept {
  return probe::made(api::memalign, surface::memalign(alignment, size), size, alignment);
}
HS_REPLACES void* aligned_alloc(size_t alignment, size_t size) noexcept {
  void* p = surface::aligned_alloc(alignment, size);
  return probe::made(api::aligned_alloc, p, size, alignment);
}
HS_REPLACES int posix_memalign(void** out, size_t alignment, size_t size) noexcept {
  const int error = surface::posix_memalign(out, alignment, size);
  probe::made(api::posix_memalign, error == 0 ? *out : nullptr, size, alignment);
  return error;
}
HS_REPLACES void* valloc(size_t size) noexcept {
  return probe::made(api::valloc, surface::valloc(size), size, probe::page_bytes());
}
HS_REPLACES void* pvalloc(size_t size) noexcept {
  return probe::made(api::pvalloc, surface::pvalloc(size), size, probe::page_bytes());
}
HS_REPLACES size_t malloc_usable_size(void* p) noexcept {
  probe::asked(p);
  return heapsmith::usable_bytes(p, heapsmith::foreign);
}
HS_REPLACES int malloc_trim(size_t pad) noexcept {
  return hs_malloc_trim(pad);
}
HS_REPLACES void malloc_stats(void) noexcept {
  hs_malloc_stats();
}
HS_REPLACES int malloc_info(int options, FILE* stream) noexcept {
  return hs_malloc_info(options, stream);
}
HS_REPLACES int mallopt(int parameter, int value) noexcept {
  return hs_mallopt(parameter, value);
}

#ifdef __GLIBC__  // other C libraries have no such type
[[gnu::cold]] HS_REPLACES struct mallinfo2 mallinfo2(void) noexcept {
  const hs_statistics s = heapsmith::watch::measure();
  struct mallinfo2 info = {};
  info.arena = s.slab_bytes + s.large_bytes + s.cached_bytes;
  info.hblks = s.direct_maps;
  info.hblkhd = s.direct_bytes;
  info.uordblks = s.in_use_bytes - s.direct_bytes;
  info.fordblks = info.arena - info.uordblks;
  info.keepcost = s.cached_bytes;
  return info;
}

[[gnu::cold]] HS_REPLACES struct mallinfo mallinfo(void) noexcept {
  const struct mallinfo2 wide = mallinfo2();
  struct mallinfo info = {};
  info.arena = static_cast<int>(wide.arena);  // large values wrap, as in glibc
  info.hblks = static_cast<int>(wide.hblks);
  info.hblkhd = static_cast<int>(wide.hblkhd);
  info.uordblks = static_cast<int>(wide.uordblks);
  info.fordblks = static_cast<int>(wide.fordblks);
  info.keepcost = static_cast<int>(wide.keepcost);
  return info;
}
#endif

}  // extern "C"
