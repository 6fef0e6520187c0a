// Counts what operator new returns, in programs that link counted_new.cpp.
#pragma once

#include <cstddef>

namespace bench {

struct handed_out {
  std::size_t calls = 0;
  /// All live blocks: their usable sizes, or the rounded requests of those with an alignment.
  std::size_t live_bytes = 0;
};

/// Counts from its construction to its destruction; only one may exist. Timed code runs without
/// one, and pays for a branch that is never taken.
class counted_new {
 public:
  counted_new();
  ~counted_new();
  counted_new(const counted_new&) = delete;
  counted_new& operator=(const counted_new&) = delete;

  static const handed_out& so_far();
};

}  // namespace bench
