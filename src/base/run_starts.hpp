// Where runs of set bits may begin, as earlier searches found. docs/design/spans.md
#pragma once

#include <algorithm>
#include <cstddef>

namespace heapsmith {

/// Where the runs of a set of bits begin, by length: a bound from below for each length up to 16
/// bits, and for the longer one that was searched for last. Most searches thus begin where they
/// end.
class run_starts {
 public:
  static constexpr std::size_t lengths = 16;

  /// The lowest bit at which a run of `n` bits may begin.
  std::size_t lowest(std::size_t n) const {
    const std::size_t i = lowest_[std::min(n, lengths) - 1];
    return n < long_ ? i : std::max(i, lowest_long_);
  }

  /// No run of `n` bits begins below `i`. Complexity: at most 16 steps.
  void raise(std::size_t n, std::size_t i) {
    for (std::size_t k = n - 1; k < lengths && lowest_[k] < i; ++k) lowest_[k] = i;
    if (n <= lengths) return;
    long_ = n;
    lowest_long_ = i;
  }

  /// A run of `n` bits begins at `i`. Complexity: at most 16 steps.
  void lower(std::size_t n, std::size_t i) {
    for (std::size_t k = std::min(n, lengths); k > 0 && lowest_[k - 1] > i; --k) lowest_[k - 1] = i;
    if (n >= long_) lowest_long_ = std::min(lowest_long_, i);
  }

  /// Runs of more than `lengths` bits may begin anywhere that lowest_ allows.
  void forget_long() { lowest_long_ = 0; }

 private:
  std::size_t lowest_[lengths] = {};  // by length - 1; ascending
  std::size_t long_ = 0;              // no run of so many bits begins below lowest_long_
  std::size_t lowest_long_ = 0;
};

}  // namespace heapsmith
