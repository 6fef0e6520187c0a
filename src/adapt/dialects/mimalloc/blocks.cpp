// Blocks: each function of mimalloc in two forms, on the thread's default heap and on a heap.
#include "adapt/dialects/mimalloc/requests.hpp"

namespace mimalloc = heapsmith::mimalloc;
using mimalloc::behind, mimalloc::bytes_of, mimalloc::t_default;

extern "C" {

void* mi_malloc(size_t size) {
  return mimalloc::make(t_default, size);
}
void* mi_heap_malloc(mi_heap_t* heap, size_t size) {
  return mimalloc::make(behind(heap), size);
}
void* mi_malloc_small(size_t size) {
  return mimalloc::make(t_default, size);
}
void* mi_heap_malloc_small(mi_heap_t* heap, size_t size) {
  return mimalloc::make(behind(heap), size);
}
void* mi_mallocn(size_t count, size_t size) {
  return mimalloc::make(t_default, bytes_of(count, size));
}
void* mi_heap_mallocn(mi_heap_t* heap, size_t count, size_t size) {
  return mimalloc::make(behind(heap), bytes_of(count, size));
}
void* mi_zalloc(size_t size) {
  return mimalloc::make_zeroed(t_default, size);
}
void* mi_heap_zalloc(mi_heap_t* heap, size_t size) {
  return mimalloc::make_zeroed(behind(heap), size);
}
void* mi_calloc(size_t count, size_t size) {
  return mimalloc::make_zeroed(t_default, bytes_of(count, size));
}
void* mi_heap_calloc(mi_heap_t* heap, size_t count, size_t size) {
  return mimalloc::make_zeroed(behind(heap), bytes_of(count, size));
}
void* mi_realloc(void* p, size_t size) {
  return mimalloc::resize(t_default, p, size);
}
void* mi_heap_realloc(mi_heap_t* heap, void* p, size_t size) {
  return mimalloc::resize(behind(heap), p, size);
}
void* mi_reallocn(void* p, size_t count, size_t size) {
  return mimalloc::resize(t_default, p, bytes_of(count, size));
}
void* mi_heap_reallocn(mi_heap_t* heap, void* p, size_t count, size_t size) {
  return mimalloc::resize(behind(heap), p, bytes_of(count, size));
}
void* mi_rezalloc(void* p, size_t size) {
  return mimalloc::resize_zeroed(t_default, p, size);
}
void* mi_heap_rezalloc(mi_heap_t* heap, void* p, size_t size) {
  return mimalloc::resize_zeroed(behind(heap), p, size);
}
void* mi_recalloc(void* p, size_t count, size_t size) {
  return mimalloc::resize_zeroed(t_default, p, bytes_of(count, size));
}
void* mi_heap_recalloc(mi_heap_t* heap, void* p, size_t count, size_t size) {
  return mimalloc::resize_zeroed(behind(heap), p, bytes_of(count, size));
}
void* mi_zalloc_small(size_t size) {
  return mimalloc::make_zeroed(t_default, size);
}

void* mi_heap_reallocf(mi_heap_t* heap, void* p, size_t size) {
  void* const q = mimalloc::resize(behind(heap), p, size);
  if (q == nullptr && p != nullptr) mi_free(p);
  return q;
}
void* mi_reallocf(void* p, size_t size) {
  return mi_heap_reallocf(mi_heap_get_default(), p, size);
}

void mi_free(void* p) {
  heapsmith::surface::free(p);
}
void mi_free_size(void* p, size_t size) {
  heapsmith::surface::require_size(p, size);
  heapsmith::surface::free(p);
}
void mi_free_size_aligned(void* p, size_t size, size_t /*alignment*/) {
  mi_free_size(p, size);
}
void mi_free_aligned(void* p, size_t /*alignment*/) {
  heapsmith::surface::free(p);
}

void* mi_expand(void* p, size_t size) {
  if (p == nullptr || size > heapsmith::object_max) return nullptr;
  return heapsmith::try_expand(p, size) ? p : nullptr;
}
size_t mi_usable_size(const void* p) {
  return heapsmith::usable_bytes(p, heapsmith::foreign);
}
size_t mi_good_size(size_t size) {
  return heapsmith::good_bytes(size);
}

}  // extern "C"
