// Blocks with marked contents, and the checks on them.
#include "world.hpp"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "heapsmith/heapsmith.h"

namespace heapsmith::fault {
namespace {

/// Marks the first and last bytes only: blocks of many MiB need not be touched whole.
constexpr std::size_t marked = 8192;

void fill(unsigned char* p, std::size_t bytes, unsigned char mark) {
  const std::size_t n = std::min(bytes, marked);
  memset(p, mark, n);
  memset(p + bytes - n, mark, n);
}

bool is_filled(const unsigned char* p, std::size_t bytes, unsigned char mark) {
  for (std::size_t i = 0; i < std::min(bytes, marked); ++i)
    if (p[i] != mark) return false;
  return true;
}

bool is_zero(const unsigned char* p, std::size_t bytes) {
  return is_filled(p, bytes, 0) && (bytes <= marked || memcmp(p, p + 1, bytes - 1) == 0);
}

std::size_t in_use() {
  hs_statistics s;
  s.size = sizeof s;
  HS_EXPECT(hs_stats(&s) == 0);
  return s.in_use_bytes;
}

}  // namespace

void wrong(const char* what, int line) {
  fprintf(stderr, "line %d: not so: %s\n", line, what);
  _exit(1);
}

bool world::keep(void* p, std::size_t bytes) {
  if (p == nullptr) {
    HS_EXPECT(errno == ENOMEM);
    ++refused_;
    return false;
  }
  HS_EXPECT(hs_malloc_usable_size(p) >= bytes);
  const std::lock_guard guard(mutex_);
  blocks_.push_back({static_cast<unsigned char*>(p), bytes, ++next_mark_});
  fill(blocks_.back().p, bytes, next_mark_);
  return true;
}

bool world::get(std::size_t bytes) {
  errno = 0;
  return keep(hs_malloc(bytes), bytes);
}

bool world::get_zeroed(std::size_t bytes) {
  errno = 0;
  void* p = hs_calloc(1, bytes);
  HS_EXPECT(p == nullptr || is_zero(static_cast<unsigned char*>(p), bytes));
  return keep(p, bytes);
}

bool world::get_aligned(std::size_t align, std::size_t bytes) {
  errno = 0;
  void* p = hs_aligned_alloc(align, bytes);
  HS_EXPECT(reinterpret_cast<uintptr_t>(p) % align == 0);
  return keep(p, bytes);
}

bool world::get_in(hs_heap* heap, std::size_t bytes) {
  errno = 0;
  return keep(hs_heap_malloc(heap, bytes), bytes);
}

bool world::resize(std::size_t bytes) {
  if (blocks_.empty()) return false;
  held& h = blocks_.back();
  errno = 0;
  auto* p = static_cast<unsigned char*>(hs_realloc(h.p, bytes));
  if (p == nullptr) {
    HS_EXPECT(errno == ENOMEM);
    ++refused_;
    HS_EXPECT(is_filled(h.p, h.bytes, h.mark));
    return false;
  }
  HS_EXPECT(is_filled(p, std::min({h.bytes, bytes, marked}), h.mark));
  h.p = p;
  h.bytes = bytes;
  fill(p, bytes, h.mark);
  return true;
}

void world::advise_last() const {
  const held& h = blocks_.back();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  unsigned char* at = h.p + (page - reinterpret_cast<uintptr_t>(h.p) % page) % page + page;
  // Not MADV_DONTFORK: it would stay with memory that is used again, which children then lack.
  for (const int advice : {MADV_HUGEPAGE, MADV_DONTDUMP, MADV_SEQUENTIAL, MADV_RANDOM}) {
    HS_EXPECT(at + 2 * page <= h.p + h.bytes);
    madvise(at, page, advice);  // kernels without huge pages refuse that
    at += 2 * page;
  }
  mlock(at, page);  // some users may lock nothing
}

void world::drop_last() {
  const std::lock_guard guard(mutex_);
  if (blocks_.empty()) return;
  const held h = blocks_.back();
  blocks_.pop_back();
  HS_EXPECT(is_filled(h.p, h.bytes, h.mark));
  errno = 77;
  hs_free(h.p);
  HS_EXPECT(errno == 77);
}

void world::drop_all() {
  check();
  while (!blocks_.empty()) drop_last();
}

void world::thin_out(std::size_t k) {
  std::vector<held> kept;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (i % k == 0)
      kept.push_back(blocks_[i]);
    else
      hs_free(blocks_[i].p);
  }
  blocks_ = kept;
}

void world::check() const {
  for (const held& h : blocks_) {
    const std::size_t n = std::min(h.bytes, marked);
    HS_EXPECT(is_filled(h.p, n, h.mark));
    HS_EXPECT(is_filled(h.p + h.bytes - n, n, h.mark));
  }
}

void world::works_again() {
  check();
  for (const std::size_t bytes : {1, 100, 1000, 5000, 32'768, 70'000, 3'000'000, 34'000'000}) {
    HS_EXPECT(get(bytes));
    HS_EXPECT(get_zeroed(bytes));
    HS_EXPECT(get_aligned(4096, bytes));
    HS_EXPECT(resize(2 * bytes));
  }
  std::size_t expected = 0;
  for (const held& h : blocks_) expected += hs_malloc_usable_size(h.p);
  hs_purge();  // and nothing is in transit between threads
  HS_EXPECT(in_use() == expected);
  drop_all();
  hs_purge();
  HS_EXPECT(in_use() == 0);
  HS_EXPECT(get_zeroed(5'000'000));  // what purging called clean is
  drop_all();
}

}  // namespace heapsmith::fault
