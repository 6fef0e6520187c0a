// Parts are the stretches of the first range that one huge page can back. For some of them the OS
// was asked for one. docs/decisions/0046-huge-pages.md
#pragma once

#include <cstddef>

#include "base/atomic.hpp"
#include "base/units.hpp"
#include "os/os.hpp"
#include "spans/settings.hpp"

namespace heapsmith::spans {

inline constexpr std::size_t part_slices = os::huge_page_bytes / slice_bytes;

/// Parts below are never advised: programs that hold less have little to gain.
inline constexpr std::size_t slices_never_advised = 16 * MiB / slice_bytes;

/// Of each part below `mapped` whether it is advised, in the range's hole. relaxed: a thread that
/// holds a slice of a part may learn late that it is advised no more, which costs time or memory,
/// nothing else; and it is advised only before its first slice is taken.
struct advised_parts {
  atomic<bool>* each = nullptr;
  atomic<std::size_t> mapped{0};
};
[[gnu::visibility("hidden")]] extern advised_parts advised;

/// Whether the OS was asked for a huge page behind a part of the first range. Such a part goes back
/// to the OS as a whole.
inline bool is_advised(std::size_t part) {
  // acquire pairs with the release of set_advised_locked(): the entries below are mapped.
  return part < advised.mapped.load(acquire) && advised.each[part].load(relaxed);
}

/// False if no part is ever advised.
inline bool parts_may_be_advised() {
  return settings().huge_pages == huge_pages::where_filled;
}

/// No huge pages behind memory that was just mapped, unless the kernel is to say.
inline void refuse_huge_pages(void* p, std::size_t bytes) {
  if (settings().huge_pages != huge_pages::as_the_kernel_says)
    os::advise_huge_pages(p, bytes, false);
}

}  // namespace heapsmith::spans
