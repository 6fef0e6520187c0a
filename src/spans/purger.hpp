// The thread that purges in a process that has fallen idle, if the user asked for it.
#pragma once

#include <cstdint>

namespace heapsmith::spans {

/// The thread calls `reclaim` before each look at the spans: it gives back the free spans that lie
/// with the engines. Null: nothing. Takes no lock that is held around a call of this layer.
void set_reclaimer(void (*reclaim)());

/// More memory is cached than the thread sleeps through: starts or wakes it.
[[gnu::cold]] void call_purger_locked();

/// In a forked child, which does not have the thread.
void forget_purger();

/// One look of the thread. Releases slices that nobody has needed for the purge delay, a few at a
/// time. Returns in how many milliseconds to look again.
std::uint64_t look_for_unused();

}  // namespace heapsmith::spans
