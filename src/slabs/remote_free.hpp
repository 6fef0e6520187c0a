// Blocks freed by threads that do not own their slab: gathered, carried home, taken in.
#pragma once

#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// Frees a block of another thread's slab. A thread that allocates blocks of the class keeps it for
/// itself, up to a few batches of them; else it joins the batch for its slab.
void free_remote(thread_heap& h, slab* s, block* b);

/// The thread looks for blocks of class `c` and has none: it may borrow such blocks from now on.
void start_borrowing(thread_heap& h, std::size_t c);

/// A borrowed block of class `c`, or null.
block* pop_borrowed(thread_heap& h, std::size_t c);

/// Frees such a block at once, for a thread that has no heap or is in a slow path of its own.
void free_remote_now(slab* s, block* b);

/// Marks a block of `s` as freed. Aborts if it is.
void mark_freed(slab* s, block* b);

/// Sends the batches home, so that no block waits for a thread that frees nothing more.
void flush_batches(thread_heap& h);

/// Sends everything home, borrowed blocks too.
void flush_outgoing(thread_heap& h);

/// Collects the full slabs of class `c` of which enough came back: see enough_to_report().
void collect_posted(thread_heap& h, std::size_t c);

/// Does so for all classes, after collect_reported().
void collect_all_posted(thread_heap& h);

/// Moves a few posted slabs of class `c` from another heap to the bins of `h`. True when one came.
bool steal_posted(thread_heap& other, thread_heap& h, std::size_t c);

/// Gives back the wholly free ones among posted slabs; the others stay posted.
void give_finished_posted(posted_stack& posted);
void give_all_finished_posted(thread_heap& h);

}  // namespace heapsmith
