// Shared by the tests of the heap: blocks with marked contents, and looks at the slabs behind them.
#pragma once

#include <gtest/gtest.h>
#include <string.h>

#include <random>
#include <vector>

#include "heap/heap.hpp"
#include "heap/large.hpp"
#include "heapsmith/heapsmith.h"
#include "slabs/find.hpp"
#include "slabs/slabs.hpp"
#include "spans/spans.hpp"
#include "threads/slow_section.hpp"
#include "threads/threads.hpp"

namespace heapsmith::test {

/// The slab that `p` lies in; null if no slab holds it.
inline slab* slab_behind(const void* p) {
  spans::record* r = spans::find_anywhere(p);
  return r == nullptr ? nullptr : slab_of(r);
}

inline slice_kind kind_behind(const void* p) {
  return kind_of(spans::find_anywhere(p));
}

/// The account that the slab or large block at `p` is held for.
inline spans::account* account_behind(const void* p) {
  const spans::record* r = spans::find_anywhere(p);
  if (const slab* s = slab_behind(p)) r = record_of(s);
  return r->account;
}

/// The slices that are left behind the large block at `p` for its growth.
inline std::size_t room_behind(const void* p) {
  return spans::find_anywhere(p)->room;
}

/// A block on a span of its own, as those are that grew or are zeroed.
inline void* allocate_span(std::size_t bytes) {
  return allocate_large_aligned(bytes, block_align);
}

inline void fill(void* p, std::size_t bytes, unsigned seed) {
  memset(p, static_cast<int>(seed * 31 + 7), bytes);
}

inline bool is_filled(const void* p, std::size_t bytes, unsigned seed) {
  const auto* at = static_cast<const unsigned char*>(p);
  const auto expected = static_cast<unsigned char>(seed * 31 + 7);
  if (bytes == 0) return true;
  return at[0] == expected && memcmp(at, at + 1, bytes - 1) == 0;
}

inline std::vector<void*> allocate_many(std::size_t n, std::size_t bytes) {
  std::vector<void*> blocks(n);
  for (void*& p : blocks) p = allocate(bytes);
  return blocks;
}

inline void free_all(const std::vector<void*>& blocks) {
  for (void* p : blocks) deallocate(p);
}

inline hs_statistics statistics() {
  hs_statistics s;
  s.size = sizeof s;
  EXPECT_EQ(hs_stats(&s), 0);
  return s;
}

}  // namespace heapsmith::test
