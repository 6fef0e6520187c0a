// The settings of spans. They begin as the environment or the program has them; calls change them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/hidden.hpp"
#include "base/units.hpp"

namespace heapsmith::spans {

inline constexpr std::size_t least_reserve = 64 * MiB;
/// The address space that the far holes of src/os have room for.
inline constexpr std::size_t most_reserve = 16 * 1024 * GiB;

/// Whether the heap lies on huge pages: never, always, or as the kernel says. In the order of the
/// words of the setting. docs/design/large-and-zeroed.md
enum class huge_pages : std::uint8_t { never, always, as_the_kernel_says };

struct span_settings {
  std::size_t reserve_bytes = 0;  // room for a range; 0: the usual
  std::size_t cache_bytes = 0;    // if cache_is_fixed
  // It was given, even as 0. Written under the spans lock; relaxed: others take it for a hint.
  atomic<bool> cache_is_fixed{false};
  std::size_t limit_bytes = 0;  // 0: none
  // Written under the spans lock; relaxed: a thread that sees a new one late purges late.
  atomic<std::uint64_t> purge_delay_ms{1000};
  bool purge_thread = false;
  spans::huge_pages huge_pages = huge_pages::as_the_kernel_says;
};

/// Read on the first call; the first caller holds the spans lock.
HS_HIDDEN span_settings& settings();

}  // namespace heapsmith::spans
