// calloc, realloc and questions about a block: what works by finding the block first.
#include <string.h>

#include <algorithm>

#include "heap/direct_map.hpp"
#include "heap/emergency.hpp"
#include "heap/find.hpp"
#include "heap/heap.hpp"
#include "heap/large.hpp"
#include "os/diagnose.hpp"

namespace heapsmith {
namespace {

enum class block_kind { slab, large, direct, emergency, foreign };

struct found {
  block_kind kind;
  std::size_t bytes;
  slab* record;
};

found find_block(const char* call, const void* p) {
  if (slab* s = spans::find_anywhere(p)) {
    if (s->kind == slice_kind::large) {
      if (p != s->start) os::stop_misuse(call, p, inside_large);
      return {block_kind::large, large_bytes(s), s};
    }
    slab* first = slab_of(s);
    if (first == nullptr) os::stop_misuse(call, p, no_block_here);
    require_block_start(call, first, p);
    return {block_kind::slab, class_table[first->size_class].bytes, first};
  }
  if (const std::size_t bytes = direct_map_bytes(p)) return {block_kind::direct, bytes, nullptr};
  if (emergency::owns(p)) return {block_kind::emergency, emergency::usable_bytes(p), nullptr};
  return {block_kind::foreign, 0, nullptr};
}

/// A slab block stays where it is while at least half of it is used; smaller, moving pays.
bool fits_in_place(const found& b, std::size_t bytes) {
  return bytes <= b.bytes && (bytes >= b.bytes / 2 || b.bytes <= 4 * block_align);
}

bool resize_in_place(const found& b, std::size_t bytes) {
  switch (b.kind) {
    case block_kind::slab:
    case block_kind::emergency:
      return fits_in_place(b, bytes);
    case block_kind::large:
      return bytes > slab_block_max && resize_large(b.record, bytes);
    case block_kind::direct:
      return bytes <= b.bytes && bytes > b.bytes / 2;
    case block_kind::foreign:
      return false;
  }
  return false;
}

}  // namespace

void* allocate_zeroed(std::size_t bytes) {
  if (bytes > slab_block_max)
    return bytes > object_max ? out_of_memory() : allocate_large_zeroed(bytes);
  void* p = allocate(bytes);
  return p == nullptr ? nullptr : memset(p, 0, bytes);
}

void* reallocate(void* p, std::size_t bytes) {
  const found b = find_block("realloc", p);
  if (b.kind == block_kind::foreign) return foreign.reallocate(p, bytes);
  if (bytes > object_max) return out_of_memory();
  if (resize_in_place(b, bytes)) return p;
  if (b.kind == block_kind::direct && bytes >= direct_map_min) {
    void* q = direct_remap(p, bytes);
    return q != nullptr ? q : out_of_memory();
  }
  void* q = allocate(bytes);
  if (q == nullptr) return bytes <= b.bytes ? p : nullptr;  // a smaller block may stay as it is
  memcpy(q, p, std::min(bytes, b.bytes));
  deallocate(p);
  return q;
}

bool try_resize(void* p, std::size_t bytes) {
  return bytes <= object_max && resize_in_place(find_block("realloc", p), bytes);
}

bool try_expand(void* p, std::size_t bytes) {
  const found b = find_block("try_expand", p);
  if (b.kind == block_kind::foreign) stop_foreign("try_expand", p);
  return bytes <= b.bytes || (b.kind == block_kind::large && resize_large(b.record, bytes));
}

std::size_t usable_bytes(const void* p) {
  if (p == nullptr) return 0;
  const found b = find_block("malloc_usable_size", p);
  return b.kind == block_kind::foreign ? foreign.usable_bytes(p) : b.bytes;
}

std::size_t good_bytes(std::size_t bytes) {
  if (bytes <= slab_block_max) return class_bytes(class_of(bytes));
  if (bytes > object_max - slice_bytes) return bytes;
  return bytes < direct_map_min ? round_up(bytes, slice_bytes) : round_up(bytes, os::page_bytes());
}

}  // namespace heapsmith
