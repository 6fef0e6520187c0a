// The exception that arenas and scopes throw if they are full.
#pragma once

#include <cstddef>
#include <cstdio>
#include <new>

namespace heapsmith {

/// Thrown by arenas that are full and get no memory from upstream. what() names the requested size,
/// the alignment, and the bytes that remain.
class arena_exhausted : public std::bad_alloc {
 public:
  arena_exhausted(std::size_t bytes, std::size_t align, std::size_t remaining) noexcept {
    std::snprintf(text_, sizeof text_,
                  "arena exhausted: no room for %zu bytes at alignment %zu, %zu bytes remain",
                  bytes, align, remaining);
  }
  [[nodiscard]] const char* what() const noexcept override { return text_; }

 private:
  char text_[144];
};

}  // namespace heapsmith
