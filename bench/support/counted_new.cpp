// Operator new over malloc, as in the standard library, that counts while a counted_new exists.

#include "support/counted_new.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>

#include "support/report.hpp"

namespace {

bool is_counting = false;
bench::handed_out total;

void* given(void* block, std::size_t bytes) {
  if (block == nullptr) [[unlikely]]
    throw std::bad_alloc();
  if (is_counting) [[unlikely]] {
    ++total.calls;
    total.live_bytes += bytes;
  }
  return block;
}

void take_back(void* block, std::size_t bytes) {
  if (is_counting) [[unlikely]]
    total.live_bytes -= bytes;
  std::free(block);
}

/// Returns: what an aligned block counts. glibc may leave up to 32 bytes behind it, depending on
/// where the block lies, so its usable size says more about the heap than about the request.
std::size_t rounded(std::size_t bytes, std::align_val_t align) {
  const auto unit = static_cast<std::size_t>(align);
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

namespace bench {

counted_new::counted_new() {
  expect(!is_counting, "two are counting");
  total = {};
  is_counting = true;
}

counted_new::~counted_new() {
  is_counting = false;
}

const handed_out& counted_new::so_far() {
  return total;
}

}  // namespace bench

void* operator new(std::size_t bytes) {
  void* const block = std::malloc(bytes);
  return given(block, malloc_usable_size(block));
}
void* operator new(std::size_t bytes, std::align_val_t align) {
  const std::size_t whole = rounded(bytes, align);
  return given(std::aligned_alloc(static_cast<std::size_t>(align), whole), whole);
}

void operator delete(void* block) noexcept {
  take_back(block, malloc_usable_size(block));
}
void operator delete(void* block, std::size_t) noexcept {
  take_back(block, malloc_usable_size(block));
}
void operator delete(void* block, std::size_t bytes, std::align_val_t align) noexcept {
  take_back(block, rounded(bytes, align));
}
/// A delete without a size cannot know what was counted.
void operator delete(void* block, std::align_val_t) noexcept {
  bench::expect(!is_counting, "an aligned block was deleted without its size");
  std::free(block);
}
