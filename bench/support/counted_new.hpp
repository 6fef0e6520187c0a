// What operator new hands out, in programs that link counted_new.cpp.
#pragma once

#include <cstddef>

namespace bench {

struct handed_out {
  std::size_t calls = 0;
  /// What live blocks can hold, which is more than what was asked for.
  std::size_t live_bytes = 0;
};

/// Counts from its construction to its destruction; there is one at a time. What is timed runs
/// without any, and pays for a branch that is never taken.
class counted_new {
 public:
  counted_new();
  ~counted_new();
  counted_new(const counted_new&) = delete;
  counted_new& operator=(const counted_new&) = delete;

  static const handed_out& so_far();
};

}  // namespace bench
