// A resource that knows its own blocks and offers nothing else: bumps through a small buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace heapsmith {

template <std::size_t Bytes>
class bump_buffer {
 public:
  bump_buffer() = default;
  bump_buffer(const bump_buffer&) = delete;
  bump_buffer& operator=(const bump_buffer&) = delete;

  void* allocate(std::size_t bytes, std::size_t align) {
    void* p = try_allocate(bytes, align);
    if (p == nullptr) throw std::bad_alloc();
    return p;
  }
  void* try_allocate(std::size_t bytes, std::size_t align) noexcept {
    const std::size_t start = (used_ + align - 1) & ~(align - 1);
    if (start > Bytes || bytes > Bytes - start) return nullptr;
    used_ = start + bytes;
    ++live;
    return memory_ + start;
  }
  void deallocate(void*, std::size_t, std::size_t) noexcept { --live; }
  bool owns(const void* p) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(p);
    const auto start = reinterpret_cast<std::uintptr_t>(memory_);
    return at >= start && at < start + Bytes;
  }
  void reset() noexcept { used_ = 0, live = 0; }

  int live = 0;

 private:
  alignas(64) unsigned char memory_[Bytes];
  std::size_t used_ = 0;
};

}  // namespace heapsmith
