// The amount of work of a run: all, as much as fits in two minutes for the suite, or a test's
// share.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace bench {

inline constexpr std::size_t all_counts[] = {1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
inline constexpr std::size_t quick_counts[] = {1 << 10, 1 << 12};
inline constexpr std::size_t short_counts[] = {1 << 10};

struct effort {
  std::span<const std::size_t> counts;  // of elements in a container
  double container_s;                   // for each of them, with what is not timed
  std::size_t mix_bytes;                // the buffer of a random mix
  std::size_t timed_steps;              // of a random mix
  std::size_t latency_steps;
  std::size_t checked_steps;
  std::size_t counted_steps;  // whose instructions are counted, one by one
  std::size_t fills;          // until the first failure
};

inline constexpr effort full_effort{
    all_counts, 0.018, std::size_t{16} << 20, 300'000, 150'000, 30'000, 96, 8};
inline constexpr effort quick_effort{
    quick_counts, 0.005, std::size_t{4} << 20, 60'000, 40'000, 10'000, 12, 1};
inline constexpr effort short_effort{
    short_counts, 0.0, std::size_t{1} << 20, 4'000, 4'000, 4'000, 8, 1};

}  // namespace bench
