// The rules of a correct heap, block by block.
#include "model.hpp"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <iterator>

#include "heapsmith/heapsmith.h"

namespace heapsmith::fuzz {
namespace {

/// Only both ends of blocks of MiB are marked, to save time for more steps.
constexpr std::size_t marked = 4096;

}  // namespace

void wrong(const char* what, int line) {
  fprintf(stderr, "line %d: not so: %s\n", line, what);
  abort();
}

void model::add(void* p, std::size_t bytes, std::size_t align) {
  auto* start = static_cast<unsigned char*>(p);
  const std::size_t usable = hs_malloc_usable_size(p);
  HS_MUST(usable >= bytes);
  HS_MUST(reinterpret_cast<uintptr_t>(p) % std::max<std::size_t>(align, 16) == 0);
  const auto next = extents_.lower_bound(start);
  HS_MUST(next == extents_.end() || start + usable <= next->first);
  HS_MUST(next == extents_.begin() || std::prev(next)->second <= start);
  extents_.emplace_hint(next, start, start + usable);
  bytes_ += bytes;
  blocks_.push_back({start, bytes, align, next_mark_++});
  const std::size_t n = std::min(bytes, marked);
  memset(start, blocks_.back().mark, n);
  memset(start + bytes - n, blocks_.back().mark, n);
}

block model::remove(std::size_t index) {
  std::swap(blocks_[index], blocks_.back());
  const block b = blocks_.back();
  check(b);
  blocks_.pop_back();
  extents_.erase(b.p);
  bytes_ -= b.bytes;
  return b;
}

void model::check_first(const block& b, std::size_t bytes) {
  const std::size_t n = std::min(b.bytes, marked);
  for (std::size_t i = 0; i < std::min(n, bytes); ++i) HS_MUST(b.p[i] == b.mark);
  for (std::size_t i = b.bytes - n; i < std::min(b.bytes, bytes); ++i) HS_MUST(b.p[i] == b.mark);
}

void model::check_all() const {
  for (const block& b : blocks_) check(b);
}

}  // namespace heapsmith::fuzz
