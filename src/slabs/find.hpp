// From an address to the record or the slab it lies in, and whether a block starts there.
#pragma once

#include "base/size_classes.hpp"
#include "os/diagnose.hpp"
#include "slabs/slab.hpp"
#include "spans/range.hpp"

namespace heapsmith {

inline constexpr char no_block_here[] =
    "no block starts here: it was freed before, or never was one";
inline constexpr char inside_large[] = "points into the middle of a large block";

/// The record of the slice that holds `p` in any range, or null; quick for the main one.
inline spans::record* find_record(const void* p) {
  const spans::range& range = spans::ranges[0];
  const std::size_t i = spans::slice_of(range, p);
  return spans::is_slice(range, i) ? range.records + i : spans::find_anywhere(p);
}

/// The slab that a slice belongs to; null if it belongs to none.
inline slab* slab_of(spans::record* r) {
  slab* const s = slab_in(r);
  if (s->kind == slice_kind::slab) return s;
  return s->kind == slice_kind::interior ? slab_in(r - s->back) : nullptr;
}

/// Aborts unless a carved block of the slab starts at `p`.
inline void require_block_start(const char* call, const slab* s, const void* p) {
  const class_info& info = class_table[s->size_class];
  const std::uint32_t index = index_if_start(info, s->start, p);
  if (index >= s->carved.load(relaxed)) [[unlikely]]
    os::abort_misuse(call, p,
                     index < info.capacity ? no_block_here : "points into the middle of a block");
}

}  // namespace heapsmith
