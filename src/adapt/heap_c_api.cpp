// The C API of first-class heaps.
#define HEAPSMITH_BUILDING
#include <errno.h>

#include "adapt/call_probe.hpp"
#include "adapt/stats.hpp"
#include "adapt/surface.hpp"
#include "heap/first_class.hpp"
#include "heap/heap_path.hpp"
#include "heapsmith/heapsmith.h"
#include "watch/stats.hpp"

namespace hs = heapsmith;
namespace probe = heapsmith::probe;
using probe::api, probe::op;

namespace {

hs::first_class_heap& behind(hs_heap* heap) {
  return *reinterpret_cast<hs::first_class_heap*>(heap);
}

}  // namespace

extern "C" {

hs_heap* hs_heap_create(void) {
  auto* f = hs::make_first_class_heap();
  if (f == nullptr) errno = ENOMEM;
  return reinterpret_cast<hs_heap*>(f);
}

void hs_heap_destroy(hs_heap* heap) {
  if (heap != nullptr) hs::end_first_class_heap(behind(heap));
}

void hs_heap_reset(hs_heap* heap) {
  hs::end_all_blocks(behind(heap));
}

void* hs_heap_malloc(hs_heap* heap, size_t size) {
  return probe::made(api::malloc, hs::allocate_in(behind(heap), size), size);
}

void* hs_heap_calloc(hs_heap* heap, size_t count, size_t size) {
  size_t bytes;
  void* p = __builtin_mul_overflow(count, size, &bytes)
                ? hs::out_of_memory()
                : hs::allocate_zeroed_in(behind(heap), bytes);
  return probe::made(api::calloc, p, probe::bytes_of(count, size));
}

void* hs_heap_aligned_alloc(hs_heap* heap, size_t alignment, size_t size) {
  void* p = hs::is_power_of_two(alignment) ? hs::allocate_aligned_in(behind(heap), size, alignment)
                                           : hs::surface::invalid();
  return probe::made(api::aligned_alloc, p, size, alignment);
}

void* hs_heap_realloc(hs_heap* heap, void* p, size_t size) {
  const probe::resizing call(p);
  return call.made(p == nullptr ? hs::allocate_in_any(behind(heap), size) : hs::reallocate(p, size),
                   size);
}

void hs_heap_free(hs_heap*, void* p) {
  probe::ending(op::free, p);
  hs::deallocate_in(p);
}

void hs_heap_set_limit(hs_heap* heap, size_t bytes) {
  hs::require_heap("hs_heap_set_limit", behind(heap));
  hs::spans::set_limit(behind(heap), bytes);
}

int hs_heap_stats(hs_heap* heap, hs_heap_statistics* out) {
  if (!hs::surface::can_take_stats(out)) return EINVAL;
  hs::require_heap("hs_heap_stats", behind(heap));
  return hs::surface::give_stats(hs::watch::measure(behind(heap)), out);
}

}  // extern "C"
