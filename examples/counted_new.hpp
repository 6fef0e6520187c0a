// Every form of operator new, counted. Include it in one source of a program.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

namespace example {

/// The calls of operator new until now.
inline std::uint64_t allocations = 0;

inline void* counted(std::size_t bytes) noexcept {
  ++allocations;
  return std::malloc(bytes);
}

inline void* counted(std::size_t bytes, std::align_val_t align) noexcept {
  ++allocations;
  const auto unit = static_cast<std::size_t>(align);
  return std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
}

inline void* or_throw(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

// Not inlined: GCC 12 would inline the delete without its new, and then warn of a mismatch.
[[gnu::noinline]] inline void release(void* block) noexcept {
  std::free(block);
}

}  // namespace example

void* operator new(std::size_t bytes) {
  return example::or_throw(example::counted(bytes));
}
void* operator new(std::size_t bytes, std::align_val_t align) {
  return example::or_throw(example::counted(bytes, align));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return example::counted(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t align, const std::nothrow_t&) noexcept {
  return example::counted(bytes, align);
}

void operator delete(void* block) noexcept {
  example::release(block);
}
void operator delete(void* block, std::size_t) noexcept {
  example::release(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  example::release(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  example::release(block);
}
