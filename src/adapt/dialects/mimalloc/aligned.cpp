// Aligned blocks of mimalloc, on the thread's default heap and on a heap.
#include "adapt/dialects/mimalloc/requests.hpp"

namespace mimalloc = heapsmith::mimalloc;
using mimalloc::behind, mimalloc::bytes_of, mimalloc::t_default;

extern "C" {

void* mi_malloc_aligned(size_t size, size_t alignment) {
  return mimalloc::make_aligned(t_default, size, alignment, 0);
}
void* mi_heap_malloc_aligned(mi_heap_t* heap, size_t size, size_t alignment) {
  return mimalloc::make_aligned(behind(heap), size, alignment, 0);
}
void* mi_malloc_aligned_at(size_t size, size_t alignment, size_t offset) {
  return mimalloc::make_aligned(t_default, size, alignment, offset);
}
void* mi_heap_malloc_aligned_at(mi_heap_t* heap, size_t size, size_t alignment, size_t offset) {
  return mimalloc::make_aligned(behind(heap), size, alignment, offset);
}
void* mi_zalloc_aligned(size_t size, size_t alignment) {
  return mimalloc::make_zeroed_aligned(t_default, size, alignment, 0);
}
void* mi_heap_zalloc_aligned(mi_heap_t* heap, size_t size, size_t alignment) {
  return mimalloc::make_zeroed_aligned(behind(heap), size, alignment, 0);
}
void* mi_zalloc_aligned_at(size_t size, size_t alignment, size_t offset) {
  return mimalloc::make_zeroed_aligned(t_default, size, alignment, offset);
}
void* mi_heap_zalloc_aligned_at(mi_heap_t* heap, size_t size, size_t alignment, size_t offset) {
  return mimalloc::make_zeroed_aligned(behind(heap), size, alignment, offset);
}
void* mi_calloc_aligned(size_t count, size_t size, size_t alignment) {
  return mimalloc::make_zeroed_aligned(t_default, bytes_of(count, size), alignment, 0);
}
void* mi_heap_calloc_aligned(mi_heap_t* heap, size_t count, size_t size, size_t alignment) {
  return mimalloc::make_zeroed_aligned(behind(heap), bytes_of(count, size), alignment, 0);
}
void* mi_calloc_aligned_at(size_t count, size_t size, size_t alignment, size_t offset) {
  return mimalloc::make_zeroed_aligned(t_default, bytes_of(count, size), alignment, offset);
}
void* mi_heap_calloc_aligned_at(mi_heap_t* heap, size_t count, size_t size, size_t alignment,
                                size_t offset) {
  return mimalloc::make_zeroed_aligned(behind(heap), bytes_of(count, size), alignment, offset);
}
void* mi_realloc_aligned(void* p, size_t size, size_t alignment) {
  return mimalloc::resize_aligned(t_default, p, size, alignment, 0);
}
void* mi_heap_realloc_aligned(mi_heap_t* heap, void* p, size_t size, size_t alignment) {
  return mimalloc::resize_aligned(behind(heap), p, size, alignment, 0);
}
void* mi_realloc_aligned_at(void* p, size_t size, size_t alignment, size_t offset) {
  return mimalloc::resize_aligned(t_default, p, size, alignment, offset);
}
void* mi_heap_realloc_aligned_at(mi_heap_t* heap, void* p, size_t size, size_t alignment,
                                 size_t offset) {
  return mimalloc::resize_aligned(behind(heap), p, size, alignment, offset);
}
void* mi_rezalloc_aligned(void* p, size_t size, size_t alignment) {
  return mimalloc::resize_zeroed_aligned(t_default, p, size, alignment, 0);
}
void* mi_heap_rezalloc_aligned(mi_heap_t* heap, void* p, size_t size, size_t alignment) {
  return mimalloc::resize_zeroed_aligned(behind(heap), p, size, alignment, 0);
}
void* mi_rezalloc_aligned_at(void* p, size_t size, size_t alignment, size_t offset) {
  return mimalloc::resize_zeroed_aligned(t_default, p, size, alignment, offset);
}
void* mi_heap_rezalloc_aligned_at(mi_heap_t* heap, void* p, size_t size, size_t alignment,
                                  size_t offset) {
  return mimalloc::resize_zeroed_aligned(behind(heap), p, size, alignment, offset);
}
void* mi_recalloc_aligned(void* p, size_t count, size_t size, size_t alignment) {
  return mimalloc::resize_zeroed_aligned(t_default, p, bytes_of(count, size), alignment, 0);
}
void* mi_heap_recalloc_aligned(mi_heap_t* heap, void* p, size_t count, size_t size,
                               size_t alignment) {
  return mimalloc::resize_zeroed_aligned(behind(heap), p, bytes_of(count, size), alignment, 0);
}
void* mi_recalloc_aligned_at(void* p, size_t count, size_t size, size_t alignment, size_t offset) {
  return mimalloc::resize_zeroed_aligned(t_default, p, bytes_of(count, size), alignment, offset);
}
void* mi_heap_recalloc_aligned_at(mi_heap_t* heap, void* p, size_t count, size_t size,
                                  size_t alignment, size_t offset) {
  return mimalloc::resize_zeroed_aligned(behind(heap), p, bytes_of(count, size), alignment, offset);
}

}  // extern "C"
