// mallocx and its kin.
#include <algorithm>

#include "adapt/dialects/jemalloc/arenas.hpp"
#include "adapt/dialects/jemalloc/flags.hpp"
#include "adapt/dialects/jemalloc/functions.h"
#include "adapt/surface.hpp"
#include "heap/heap_path.hpp"
#include "os/libc.hpp"
#include "spans/direct_maps.hpp"

namespace hs = heapsmith;
namespace jemalloc = heapsmith::jemalloc;

namespace {

/// Direct maps are fresh from the kernel.
bool reads_as_zero(const void* p) {
  return hs::spans::had_direct_maps() && hs::spans::direct_map_bytes(p) != 0;
}

void* make_in(hs::first_class_heap& f, size_t size, size_t align, bool zeros) {
  if (zeros && align <= hs::block_align) return hs::allocate_zeroed_in(f, size);
  return hs::allocate_aligned_in(f, size, align);
}

void* make_in_process(size_t size, size_t align, bool zeros) {
  if (zeros && align <= hs::block_align) return hs::allocate_zeroed(size);
  return hs::allocate_aligned(size, align);
}

void clear_from(void* p, size_t first) {
  const size_t bytes = hs::usable_bytes(p, hs::foreign);
  if (bytes > first && !reads_as_zero(p)) memset(static_cast<char*>(p) + first, 0, bytes - first);
}

[[gnu::noinline]] void* make(size_t size, unsigned flags) {
  const size_t align = jemalloc::align_of(flags);
  const bool zeros = jemalloc::wants_zeros(flags);
  // All usable bytes are zeros, so that a block that grows later is zero where it was not used.
  if (zeros) size = hs::good_bytes(size, align);
  void* p;
  if (const unsigned n = jemalloc::arena_in(flags); n == 0) {
    p = make_in_process(size, align, zeros);
  } else {
    hs::first_class_heap* const f = jemalloc::heap_of_arena(n);
    if (f == nullptr) return hs::surface::invalid();
    p = make_in(*f, size, align, zeros);
  }
  if (zeros && p != nullptr) clear_from(p, align > hs::block_align ? 0 : size);
  return p;
}

bool is_aligned(const void* p, unsigned flags) {
  return reinterpret_cast<uintptr_t>(p) % jemalloc::align_of(flags) == 0;
}

/// A block for the contents of `p`, in the arena that the flags name or else in that of `p`.
void* make_for(const void* p, size_t size, unsigned flags) {
  if (jemalloc::names_arena(flags)) return make(size, flags & ~jemalloc::zero_flag);
  return hs::allocate_aligned_beside(p, size, jemalloc::align_of(flags));
}

void* move(void* p, size_t size, unsigned flags) {
  void* const q = make_for(p, size, flags);
  if (q == nullptr) return nullptr;
  const size_t have = hs::usable_bytes(p);
  memcpy(q, p, std::min(size, have));
  hs::surface::free(p);
  return q;
}

/// realloc() knows how to move a block without a copy. It does all but the rest of the flags.
void* resize(void* p, size_t size, unsigned flags) {
  if (size == 0) size = 1;
  if (jemalloc::align_of(flags) <= hs::block_align && !jemalloc::names_arena(flags))
    return hs::reallocate(p, size, hs::foreign);
  if (is_aligned(p, flags) && hs::try_resize(p, size)) return p;
  return move(p, size, flags);
}

}  // namespace

extern "C" {

void* mallocx(size_t size, int flags) {
  const auto f = static_cast<unsigned>(flags);
  return jemalloc::are_plain(f) ? hs::surface::malloc(size) : make(size, f);
}

void* rallocx(void* p, size_t size, int flags) {
  const auto f = static_cast<unsigned>(flags);
  if (!jemalloc::wants_zeros(f)) return resize(p, size, f);
  const size_t before = hs::usable_bytes(p, hs::foreign);
  void* const q = resize(p, size, f);
  // A block that has moved has of the old one only what it asked for.
  if (q != nullptr) clear_from(q, q == p ? before : std::min(before, size));
  return q;
}

size_t xallocx(void* p, size_t size, size_t extra, int flags) {
  const auto f = static_cast<unsigned>(flags);
  const size_t before = hs::usable_bytes(p);
  if (!is_aligned(p, f)) return before;
  size_t most;
  if (__builtin_add_overflow(size, extra, &most) || most > hs::object_max) most = hs::object_max;
  if (most < before) {
    hs::try_resize(p, most == 0 ? 1 : most);
  } else if (size <= hs::object_max && most > before && !hs::try_expand(p, most) && size > before) {
    hs::try_expand(p, size);
  }
  if (jemalloc::wants_zeros(f)) clear_from(p, before);
  return hs::usable_bytes(p);
}

size_t sallocx(const void* p, int /*flags*/) {
  return hs::usable_bytes(p, hs::foreign);
}

void dallocx(void* p, int /*flags*/) {
  hs::surface::free(p);
}

void sdallocx(void* p, size_t size, int /*flags*/) {
  hs::surface::require_size(p, size);
  hs::surface::free(p);
}

size_t nallocx(size_t size, int flags) {
  const size_t align = jemalloc::align_of(static_cast<unsigned>(flags));
  if (align > hs::object_max || size > hs::object_max - align) return 0;
  const size_t good = hs::good_bytes(size, align);
  return good <= hs::object_max ? good : 0;
}

}  // extern "C"
