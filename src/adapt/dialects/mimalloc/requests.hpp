// Requests, which the functions of mimalloc have in common: each names a heap, a size, an
// alignment, and whether it wants zeros.
#pragma once

#include <cstddef>
#include <cstdint>

#include "adapt/dialects/mimalloc/functions.h"
#include "adapt/surface.hpp"
#include "heap/heap_path.hpp"

namespace heapsmith::mimalloc {

/// A handle of a heap is its address with marks in bits that are 0 in addresses of heaps. The
/// library that the program is linked with calls functions of its own with its own heaps, and these
/// calls come here: a handle without the first mark stands for the process's heap.
inline constexpr std::uintptr_t is_ours = 2;
inline constexpr std::uintptr_t lives_on = 1;  // its blocks stay when it is destroyed
inline constexpr std::uintptr_t marks = is_ours | lives_on;

/// The handle of the process's heap, which is null.
mi_heap_t* backing();

inline mi_heap_t* handle_of(first_class_heap* f, std::uintptr_t with = is_ours) {
  return f == nullptr ? backing()
                      : reinterpret_cast<mi_heap_t*>(reinterpret_cast<std::uintptr_t>(f) | with);
}

/// The heap that this thread's mi_malloc() takes blocks from. Null: the process's. Initial-exec, as
/// t_heap.
extern thread_local constinit first_class_heap* t_default [[gnu::tls_model("initial-exec")]];

/// Null for the process's heap.
inline first_class_heap* behind(const mi_heap_t* heap) {
  const auto handle = reinterpret_cast<std::uintptr_t>(heap);
  return (handle & is_ours) == 0 ? nullptr : reinterpret_cast<first_class_heap*>(handle & ~marks);
}

/// Like malloc in a heap; null: the process's.
[[gnu::always_inline]] inline void* make(first_class_heap* f, std::size_t bytes) {
  return f == nullptr ? surface::malloc(bytes) : allocate_in(*f, bytes);
}

/// All usable bytes are zeros: rezalloc() relies on it.
void* make_zeroed(first_class_heap* f, std::size_t bytes);

/// An alignment of this dialect comes with an offset, which must be a multiple of the alignment.
/// Null and EINVAL for other offsets, and for an alignment that is not a power of two.
void* make_aligned(first_class_heap* f, std::size_t bytes, std::size_t align, std::size_t offset);
void* make_zeroed_aligned(first_class_heap* f, std::size_t bytes, std::size_t align,
                          std::size_t offset);

/// Resizes a block, or makes one if `p` is null. A block that moves goes to the heap. Size 0 gives
/// a block.
void* resize(first_class_heap* f, void* p, std::size_t bytes);
void* resize_aligned(first_class_heap* f, void* p, std::size_t bytes, std::size_t align,
                     std::size_t offset);

/// As these, and clears the bytes that the block did not have before.
void* resize_zeroed(first_class_heap* f, void* p, std::size_t bytes);
void* resize_zeroed_aligned(first_class_heap* f, void* p, std::size_t bytes, std::size_t align,
                            std::size_t offset);

/// The bytes of an array; more than any block can have if no size can express them.
inline std::size_t bytes_of(std::size_t count, std::size_t each) {
  std::size_t bytes;
  return __builtin_mul_overflow(count, each, &bytes) ? SIZE_MAX : bytes;
}

}  // namespace heapsmith::mimalloc
