// Functions of libc and C++ under mimalloc's names.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "adapt/dialects/mimalloc/requests.hpp"
#include "adapt/dialects/owner.hpp"
#include "adapt/override/new_handler.hpp"

namespace hs = heapsmith;
namespace surface = heapsmith::surface;
namespace mimalloc = heapsmith::mimalloc;
using mimalloc::bytes_of;

extern "C" {

// malloc's blocks and those of mimalloc: free() knows both.
void* reallocf(void* p, size_t size) {
  void* const q = realloc(p, size);
  if (q == nullptr && size != 0) free(p);
  return q;
}
void vfree(void* p) {
  free(p);
}
size_t malloc_size(const void* p) {
  return malloc_usable_size(const_cast<void*>(p));
}

void mi_cfree(void* p) {
  if (p != nullptr && hs::dialects::owner_of(p).is_ours) surface::free(p);
}
size_t mi_malloc_size(const void* p) {
  return mi_usable_size(p);
}
size_t mi_malloc_usable_size(const void* p) {
  return mi_usable_size(p);
}
size_t mi_malloc_good_size(size_t size) {
  return mi_good_size(size);
}

int mi_posix_memalign(void** out, size_t alignment, size_t size) {
  if (out == nullptr || !hs::is_power_of_two(alignment) || alignment % sizeof(void*) != 0)
    return EINVAL;
  void* const p = mi_malloc_aligned(size, alignment);
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}
void* mi_memalign(size_t alignment, size_t size) {
  return mi_malloc_aligned(size, alignment);
}
void* mi_aligned_alloc(size_t alignment, size_t size) {
  return mi_malloc_aligned(size, alignment);
}
void* mi_valloc(size_t size) {
  return mi_malloc_aligned(size, hs::os::page_bytes());
}
void* mi_pvalloc(size_t size) {
  const size_t page = hs::os::page_bytes();
  if (size > hs::object_max) return hs::out_of_memory();
  return mi_malloc_aligned(hs::round_up(size == 0 ? 1 : size, page), page);
}

void* mi_reallocarray(void* p, size_t count, size_t size) {
  return mi_reallocn(p, count, size);
}
// As NetBSD's: the block's address is replaced.
int mi_reallocarr(void* p, size_t count, size_t size) {
  if (p == nullptr) return errno = EINVAL;
  void* block;
  memcpy(static_cast<void*>(&block), p, sizeof block);
  block = mi_reallocn(block, count, size);
  if (block == nullptr) return errno;
  memcpy(p, static_cast<const void*>(&block), sizeof block);
  return 0;
}
void* mi_aligned_recalloc(void* p, size_t count, size_t size, size_t alignment) {
  return mi_recalloc_aligned(p, count, size, alignment);
}
void* mi_aligned_offset_recalloc(void* p, size_t count, size_t size, size_t alignment,
                                 size_t offset) {
  return mi_recalloc_aligned_at(p, count, size, alignment, offset);
}
void* mi__expand(void* p, size_t size) {
  void* const q = mi_expand(p, size);
  if (q == nullptr) errno = ENOMEM;
  return q;
}

void* mi_heap_alloc_new(mi_heap_t* heap, size_t size) {
  void* const p = mi_heap_malloc(heap, size);
  return p != nullptr ? p : hs::new_or_throw(size, 1);
}
void* mi_heap_alloc_new_n(mi_heap_t* heap, size_t count, size_t size) {
  return mi_heap_alloc_new(heap, bytes_of(count, size));
}
void* mi_new(size_t size) {
  void* const p = mi_malloc(size);
  return p != nullptr ? p : hs::new_or_throw(size, 1);
}
void* mi_new_n(size_t count, size_t size) {
  return mi_new(bytes_of(count, size));
}
void* mi_new_aligned(size_t size, size_t alignment) {
  void* const p = mi_malloc_aligned(size, alignment);
  return p != nullptr ? p : hs::new_or_throw(size, alignment);
}
void* mi_new_nothrow(size_t size) {
  void* const p = mi_malloc(size);
  return p != nullptr ? p : hs::new_or_null(size, 1);
}
void* mi_new_aligned_nothrow(size_t size, size_t alignment) {
  void* const p = mi_malloc_aligned(size, alignment);
  return p != nullptr ? p : hs::new_or_null(size, alignment);
}

void* mi_new_realloc(void* p, size_t size) {
  if (void* const q = mi_realloc(p, size)) return q;
  void* const q = hs::new_or_throw(size, 1);
  if (p != nullptr) memcpy(q, p, std::min(size, mi_usable_size(p)));
  mi_free(p);
  return q;
}
void* mi_new_reallocn(void* p, size_t count, size_t size) {
  return mi_new_realloc(p, bytes_of(count, size));
}

}  // extern "C"
