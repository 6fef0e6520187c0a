// How arenas and scopes say that there is no room.
#pragma once

#include <cstddef>
#include <cstdio>
#include <new>

namespace heapsmith {

/// Thrown when an arena has no room and gets none. `what()` names the bytes, the alignment and what
/// remains.
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
