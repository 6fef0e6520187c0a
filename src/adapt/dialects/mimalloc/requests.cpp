// Carries out requests of mimalloc's functions with those of the heap.
#include "adapt/dialects/mimalloc/requests.hpp"

#include <string.h>

#include <algorithm>

#include "adapt/dialects/owner.hpp"
#include "heap/heap.hpp"

namespace heapsmith::mimalloc {

thread_local constinit first_class_heap* t_default = nullptr;

namespace {

bool can_align(std::size_t align, std::size_t offset) {
  return is_power_of_two(align) && offset % align == 0;
}

void* make_at(first_class_heap* f, std::size_t bytes, std::size_t align) {
  return f == nullptr ? allocate_aligned(bytes, align) : allocate_aligned_in(*f, bytes, align);
}

void* move(first_class_heap* f, void* p, std::size_t bytes, std::size_t align) {
  void* const q = make_at(f, bytes, align);
  if (q == nullptr) return nullptr;
  memcpy(q, p, std::min(bytes, usable_bytes(p)));
  surface::free(p);
  return q;
}

void clear_from(void* p, std::size_t first) {
  const std::size_t bytes = usable_bytes(p, foreign);
  if (bytes > first) memset(static_cast<char*>(p) + first, 0, bytes - first);
}

}  // namespace

mi_heap_t* backing() {
  return reinterpret_cast<mi_heap_t*>(is_ours);
}

void* make_zeroed(first_class_heap* f, std::size_t bytes) {
  const std::size_t good = good_bytes(bytes);
  void* const p = f == nullptr ? allocate_zeroed(good) : allocate_zeroed_in(*f, good);
  if (p != nullptr) clear_from(p, good);  // it may have more
  return p;
}

void* make_aligned(first_class_heap* f, std::size_t bytes, std::size_t align, std::size_t offset) {
  return can_align(align, offset) ? make_at(f, bytes, align) : surface::invalid();
}

void* make_zeroed_aligned(first_class_heap* f, std::size_t bytes, std::size_t align,
                          std::size_t offset) {
  if (!can_align(align, offset)) return surface::invalid();
  if (align <= block_align) return make_zeroed(f, bytes);
  void* const p = make_at(f, bytes, align);
  if (p != nullptr) clear_from(p, 0);
  return p;
}

void* resize(first_class_heap* f, void* p, std::size_t bytes) {
  if (p == nullptr) return make(f, bytes);
  if (bytes == 0) bytes = 1;
  const dialects::owner at = dialects::owner_of(p);
  if (!at.is_ours || at.account == f) return reallocate(p, bytes, foreign);
  return try_resize(p, bytes) ? p : move(f, p, bytes, block_align);
}

void* resize_aligned(first_class_heap* f, void* p, std::size_t bytes, std::size_t align,
                     std::size_t offset) {
  if (!can_align(align, offset)) return surface::invalid();
  if (p == nullptr) return make_at(f, bytes, align);
  if (align <= block_align) return resize(f, p, bytes);
  if (bytes == 0) bytes = 1;
  if (reinterpret_cast<std::uintptr_t>(p) % align == 0 && try_resize(p, bytes)) return p;
  return move(f, p, bytes, align);
}

void* resize_zeroed(first_class_heap* f, void* p, std::size_t bytes) {
  return resize_zeroed_aligned(f, p, bytes, block_align, 0);
}

void* resize_zeroed_aligned(first_class_heap* f, void* p, std::size_t bytes, std::size_t align,
                            std::size_t offset) {
  if (p == nullptr) return make_zeroed_aligned(f, bytes, align, offset);
  const std::size_t before = usable_bytes(p, foreign);
  void* const q = resize_aligned(f, p, bytes, align, offset);
  // A block that has moved has of the old one only what it asked for.
  if (q != nullptr) clear_from(q, q == p ? before : std::min(before, bytes));
  return q;
}

}  // namespace heapsmith::mimalloc
