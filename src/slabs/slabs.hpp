// The life of a slab between the fast paths: set up, carved, current, waiting in a bin, empty.
//
// All functions work on the heap they are given, not on the calling thread's: the shared heap and
// orphans are worked on by the thread that holds the lock. docs/design/slabs.md
#pragma once

#include "slabs/thread_heap.hpp"

namespace [[gnu::visibility("hidden")]] heapsmith {

/// Makes a slab of class `c` on a span that starts at `start`; none of its blocks is cut yet.
void set_up(thread_heap& h, slab* s, char* start, std::size_t c);

/// Cuts blocks up to the end of the OS page in which the next block begins, and lists them in
/// address order: memory is touched a page at a time, when it is needed.
void carve(slab* s);

/// Moves blocks that other threads gave back to the slab's own list; they are not in use any more.
/// Returns how many blocks came.
std::uint32_t collect_remote(slab* s, remote_word::taken how = remote_word::taken::by_owner);

/// A slab whose blocks are all free, here and in the remote word, becomes an uncut one.
void forget_blocks(slab* s);

/// An owned slab with `used` blocks in use and the others on its list enters a bin. If nothing is
/// in use, it is kept or given back, unless it is listed or may not end now.
void settle(thread_heap& h, slab* s, std::uint32_t used);

/// A slab that the caller took off a stack of posted ones becomes one of `h`.
void adopt_slab(thread_heap& h, slab* s);

/// Collects what came back to the listed slabs of `h`, of every class. Complexity: a step for each
/// block; and for each slab, of which enough_to_report() came back since the last time.
void collect_reported(thread_heap& h);

/// A full slab of the heap `h` gets a block back from the heap's own thread. False if it is not
/// full any more.
bool free_in_full(thread_heap& h, slab* s, block* b);

/// Sets the records of a span as spans::give() wants them: of no slab and no large block.
void forget_span(spans::record* first, std::size_t slices);

/// A signal handler, or a child that it forked, interrupts the spans: it would wait for ever.
bool may_not_end_now();

/// Gives back the span of a slab that is wholly free, lies in no bin and may end now.
void give_slab(slab* s);

/// A class is short of slabs if the slab that it had set aside was gone so often. It then takes
/// none that another class wants: classes used in turns would cut one slab again and again.
inline constexpr std::uint8_t losses_until_short = 16;

inline bool is_short(const thread_heap& h, std::size_t c) {
  return h.shortage[c] == losses_until_short;
}
inline void note_shortage(thread_heap& h, std::size_t c) {
  if (!is_short(h, c)) ++h.shortage[c];
}

/// A class grows calm when it takes its slab back of which an OS page or a block was cut; else
/// after so many returns, and the slab begins again without memory, the first time. So a program
/// that allocates and frees in turns seldom pays for events.
inline constexpr std::uint8_t returns_until_calm = 127, calmed_before = 128;

inline bool is_calm(const thread_heap& h, std::size_t c) {
  return (h.calm[c] & returns_until_calm) == returns_until_calm;
}
inline void watch_again(thread_heap& h, std::size_t c) {
  h.calm[c] &= calmed_before;
}

/// The slab of class `c` that was set aside; null if it is not there any more.
slab* reuse_set_aside(thread_heap& h, std::size_t c);

/// A slab for class `c` on a span that the heap keeps: one of that class as it is, or another, cut
/// again. Null if none of its length may be taken.
slab* reuse_kept(thread_heap& h, std::size_t c);

/// Gives back the spans that the heap keeps. Any thread.
void drop_kept(thread_heap& h);

/// Enters `s` in both tables as the current slab of class `c`.
void set_current(thread_heap& h, std::size_t c, slab* s);

/// Makes an unbinned owned slab with a free block the current one of its class.
void make_current(thread_heap& h, slab* s);

/// Frees a block of a slab that `h` owns, as the fast path would.
void push_local(thread_heap& h, slab* s, block* b);

/// The countdown of a slab has reached zero: it moves one bin lower, or is empty. For the thread
/// that owns it.
///
/// A current slab that is wholly free is set aside, where a purge in any thread finds it.
[[gnu::noinline, gnu::cold]] void free_event(slab* s);

}  // namespace heapsmith
