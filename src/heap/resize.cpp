// calloc, realloc and questions about a block: what works by finding the block first.
#include <string.h>

#include <algorithm>

#include "heap/direct_map.hpp"
#include "heap/emergency.hpp"
#include "heap/find.hpp"
#include "heap/heap.hpp"
#include "heap/heap_path.hpp"
#include "heap/large.hpp"
#include "os/diagnose.hpp"

namespace heapsmith {
namespace {

/// The record of the slab or the large block of which a block starts at `p`; null outside all
/// spans. Stops the process where no block starts.
[[gnu::always_inline]] inline slab* find_record(const char* call, const void* p) {
  slab* s = find_slice(p);
  if (s == nullptr) [[unlikely]]
    return nullptr;
  if (slab* first = slab_of(s)) [[likely]] {
    require_block_start(call, first, p);
    return first;
  }
  if (s->kind == slice_kind::none) os::abort_misuse(call, p, no_block_here);
  if (p != s->start) os::abort_misuse(call, p, inside_large);
  return s;
}

[[gnu::noinline]] slab* record_of(const char* call, const void* p) {
  return find_record(call, p);
}

std::size_t record_bytes(const slab* s) {
  return s->kind == slice_kind::slab ? class_table[s->size_class].bytes : large_bytes(s);
}

/// The bytes of a block that lies in no span; 0 when it is none of ours.
[[gnu::noinline, gnu::cold]] std::size_t bytes_outside_spans(const void* p) {
  return emergency::owns(p) ? emergency::usable_bytes(p) : direct_map_bytes(p);
}

/// A block stays where it is while at least half of it is used; smaller, moving pays.
bool fits_in_place(std::size_t have, std::size_t bytes) {
  return bytes <= have && (bytes >= have / 2 || have <= 4 * block_align);
}

bool resize_in_place(slab* s, std::size_t have, std::size_t bytes) {
  if (s->kind == slice_kind::large) return bytes > slab_block_max && resize_large(s, bytes);
  return fits_in_place(have, bytes);
}

/// True for 0 and for what no object can have: sizes to which nothing is resized.
bool is_no_size(std::size_t bytes) {
  return bytes - 1 >= object_max;
}

/// realloc(p, 0) frees; what is too large is refused.
[[gnu::noinline, gnu::cold]] void* free_or_refuse(void* p, std::size_t bytes) {
  if (bytes != 0) return out_of_memory();
  deallocate(p);
  return nullptr;
}

/// A block from the heap that `holder` is; null: the process's.
void* allocate_for(spans::account* holder, std::size_t bytes) {
  if (holder == nullptr) return allocate(bytes);
  return allocate_in_slow(*static_cast<first_class_heap*>(holder), bytes);
}

[[gnu::noinline]] void* move(void* p, std::size_t have, std::size_t bytes, spans::account* holder) {
  void* q = allocate_for(holder, bytes);
  if (q == nullptr) return bytes <= have ? p : nullptr;  // a smaller block may stay as it is
  memcpy(q, p, std::min(bytes, have));
  deallocate(p);
  return q;
}

[[gnu::noinline, gnu::cold]] void* reallocate_outside_spans(void* p, std::size_t bytes,
                                                            const foreign_handlers& others) {
  if (p == nullptr) return allocate(bytes);
  const std::size_t have = bytes_outside_spans(p);
  if (have == 0) return others.reallocate(p, bytes);
  if (is_no_size(bytes)) return free_or_refuse(p, bytes);
  if (fits_in_place(have, bytes)) return p;
  if (bytes < direct_map_min || emergency::owns(p))
    return move(p, have, bytes, direct_map_account(p));
  void* q = direct_remap(p, bytes);
  return q != nullptr ? q : out_of_memory();
}

/// The usable bytes of a block that sized deallocation can be checked for; 0 for all others.
std::size_t checkable_bytes(const void* p) {
  if (const slab* s = record_of("free", p)) return record_bytes(s);
  return emergency::owns(p) ? 0 : direct_map_bytes(p);
}

}  // namespace

void* allocate_zeroed(std::size_t bytes) {
  if (bytes > slab_block_max)
    return bytes > object_max ? out_of_memory() : allocate_large_zeroed(bytes);
  void* p = allocate(bytes);
  return p == nullptr ? nullptr : memset(p, 0, bytes);
}

void* reallocate(void* p, std::size_t bytes, const foreign_handlers& others) {
  slab* s = find_record("realloc", p);
  if (s == nullptr) [[unlikely]]
    return reallocate_outside_spans(p, bytes, others);
  if (is_no_size(bytes)) [[unlikely]]
    return free_or_refuse(p, bytes);
  const std::size_t have = record_bytes(s);
  return resize_in_place(s, have, bytes) ? p : move(p, have, bytes, s->account);
}

void* allocate_aligned_beside(const void* p, std::size_t bytes, std::size_t align) {
  const slab* s = record_of("realloc", p);
  spans::account* const holder = s != nullptr ? s->account : direct_map_account(p);
  if (holder == nullptr) return allocate_aligned(bytes, align);
  return allocate_aligned_in(*static_cast<first_class_heap*>(holder), bytes, align);
}

bool try_resize(void* p, std::size_t bytes) {
  if (slab* s = record_of("realloc", p))
    return !is_no_size(bytes) && resize_in_place(s, record_bytes(s), bytes);
  const std::size_t have = bytes_outside_spans(p);
  if (have == 0) stop_foreign("realloc", p);
  return fits_in_place(have, bytes);
}

bool try_expand(void* p, std::size_t bytes) {
  slab* s = record_of("try_expand", p);
  const std::size_t have = s != nullptr ? record_bytes(s) : bytes_outside_spans(p);
  if (have == 0) stop_foreign("try_expand", p);
  if (bytes <= have) return true;
  return s != nullptr && s->kind == slice_kind::large && resize_large(s, bytes);
}

std::size_t usable_bytes(const void* p, const foreign_handlers& others) {
  if (p == nullptr) return 0;
  if (const slab* s = record_of("malloc_usable_size", p)) return record_bytes(s);
  const std::size_t have = bytes_outside_spans(p);
  return have != 0 ? have : others.usable_bytes(p);
}

std::size_t good_bytes(std::size_t bytes, std::size_t align) {
  if (const std::size_t c = aligned_class(bytes, align); c != class_count) return class_bytes(c);
  if (bytes > object_max - slice_bytes) return bytes;
  const bool direct = bytes >= direct_map_min || align >= direct_map_min;
  return round_up(std::max<std::size_t>(bytes, 1), direct ? os::page_bytes() : slice_bytes);
}

bool fits_request(const void* p, std::size_t bytes, std::size_t align) {
  const std::size_t have = checkable_bytes(p);
  return have == 0 || have == good_bytes(bytes, align);
}

bool may_hold(const void* p, std::size_t bytes) {
  const std::size_t have = checkable_bytes(p);
  return have == 0 || bytes <= have;
}

}  // namespace heapsmith
