// What the tests of the heap share: blocks with marked contents, and looks at the slabs behind
// them.
#pragma once

#include <gtest/gtest.h>
#include <string.h>

#include <random>
#include <vector>

#include "heap/heap.hpp"
#include "heap/slabs.hpp"
#include "heap/threads.hpp"
#include "heapsmith/heapsmith.h"
#include "spans/spans.hpp"

namespace heapsmith::test {

/// The record of the slab that `p` lies in.
inline slab* slab_behind(const void* p) {
  slab* s = spans::find_anywhere(p);
  if (s != nullptr && s->kind == slice_kind::interior) s -= s->back;
  return s;
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
