// Reuse before growth: what to look through before the heap asks for address space.
#pragma once

#include "slabs/thread_heap.hpp"
#include "spans/spans.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// Counts the purges that every heap is asked to answer.
extern atomic<std::uint32_t> purge_epoch;

/// Whether a thread asked for a purge that `h` has not answered. relaxed: a thread that sees a new
/// epoch late purges late; no memory is published by it.
inline bool is_asked_to_purge(const thread_heap& h) {
  return h.purge_seen != purge_epoch.load(relaxed);
}

/// Lets go of free slabs that no thread had noticed: in the bins of `h`, among any heap's posted
/// slabs, in any heap's kept ones. Of first-class heaps only the own one and a few are looked at.
/// Without an account, does nothing if the address space is as large as at the last time: each
/// growth pays for one look, and free slabs that threads take again are not taken apart each time.
/// It also does nothing if reclaim_before_refusal() would do nothing.
void reclaim_before_growth(thread_heap& h, const spans::account* holder);

/// Growth was refused: looks again, and at all first-class heaps. False: nothing came back since
/// `h` did so last, so nothing was done. Complexity: then a step for each thread.
bool reclaim_before_refusal(thread_heap& h);

/// spans::take(), for which address space may grow, after those two: the second one only where it
/// would be refused.
spans::span take_reclaimed(thread_heap& h, std::size_t slices, std::size_t align_slices,
                           spans::account* holder);

/// A mapping of so many bytes was refused. One free slab may keep a long tail of a range from its
/// end: gives the free slabs back. False: a limit of the heap's own has refused it, the OS would
/// refuse it even if the whole heap ended, or now is no time for that.
bool reclaim_address_space(std::size_t bytes);

/// Returns what the thread of `h` caches, and lets go of its free slabs.
void shed(thread_heap& h);

/// Lets go of all free slabs that can be reached now.
void reclaim_everything(thread_heap& h);

/// Gives back everything free in every heap that can be reached now, and asks the others to do the
/// same on their next slow path. Returns bytes given to the OS.
std::size_t purge_everything(thread_heap& h);

/// The slow paths' answer to a purge in another thread.
void purge_if_asked(thread_heap& h);

/// Once in a purge delay gives what all threads keep to the spans' cache, from which it goes to the
/// OS if nobody needs it. A thread that works has the spans that it needs back at once.
void give_kept_if_late(std::uint64_t now);

/// Looks at the clock: lets go of what nobody needed for the purge delay.
[[gnu::cold]] void look_at_clock(thread_heap& h);

/// Slow paths call this. A thread that works looks at the clock at each 16th call, others at each.
inline void tick(thread_heap& h) {
  if (h.ticks_until_look == 0) return look_at_clock(h);
  --h.ticks_until_look;
}

}  // namespace heapsmith
