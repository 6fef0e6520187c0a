// fork: what parent and child do so that both can allocate at once.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// On a page that the kernel wipes in a child: 0, `fork_noticed`, or the even number of the thread
/// that is about to notice.
using fork_word = atomic<std::uint32_t>;
inline constexpr std::uint32_t fork_noticed = 1;
extern atomic<fork_word*> fork_detector;  // null before threads and forks are watched

/// Registers the handlers, and the page that notices children no handler ran in.
void watch_forks();

/// In a child made by _Fork or clone, where no handler ran, does the work of the handler.
/// Slow paths and large blocks begin with it: two loads when there is nothing to notice.
void notice_fork();

/// Whether notice_fork() would have something to do.
inline bool has_forked_unnoticed() {
  // acquire pairs with watch_forks(), then with notice_first(): locks and heaps are mended.
  const fork_word* word = fork_detector.load(acquire);
  return word != nullptr && word->load(acquire) != fork_noticed;
}

}  // namespace heapsmith
