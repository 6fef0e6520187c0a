// Operator new over malloc, as in the standard library, that counts while a counted_new exists.

#include "support/counted_new.hpp"

#include <cstdlib>
#include <malloc.h>
#include <new>

#include "support/report.hpp"

namespace {

bool is_counting = false;
bench::handed_out total;

void* given(void* block) {
  if (block == nullptr) [[unlikely]]
    throw std::bad_alloc();
  if (is_counting) [[unlikely]] {
    ++total.calls;
    total.live_bytes += malloc_usable_size(block);
  }
  return block;
}

void take_back(void* block) {
  if (is_counting) [[unlikely]]
    total.live_bytes -= malloc_usable_size(block);
  std::free(block);
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
  return given(std::malloc(bytes));
}

void* operator new(std::size_t bytes, std::align_val_t align) {
  const auto unit = static_cast<std::size_t>(align);
  return given(std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit));
}

void operator delete(void* block) noexcept {
  take_back(block);
}
void operator delete(void* block, std::size_t) noexcept {
  take_back(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  take_back(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  take_back(block);
}
