// The heap that all threads share. It has the slabs of all middle blocks, and small ones for
// threads without a heap: past their end, or out of memory for one.
#pragma once

#include "os/lock.hpp"
#include "slabs/depot.hpp"
#include "slabs/thread_heap.hpp"

namespace heapsmith {

/// What threads write that exchange blocks, on a cache line that has nothing else.
struct alignas(64) block_exchange {
  /// Held while the shared heap is used; for fork, and to notice interruptions.
  os::lock lock{os::lock_rank::shared_heap};
  /// Blocks on their way to their slabs: they wait for a thread that has the lock. Threads add
  /// lists and take all, so that no link is read that another thread may change.
  atomic<block*> arriving{nullptr};
};
extern block_exchange the_exchange;

/// The shared heap, locked; blocks of it are freed as another thread's are.
class shared_heap_use {
 public:
  shared_heap_use();
  ~shared_heap_use();
  shared_heap_use(const shared_heap_use&) = delete;
  shared_heap_use& operator=(const shared_heap_use&) = delete;

  thread_heap* heap() const { return heap_; }  // null when out of memory for it

 private:
  thread_heap* heap_;
};

/// Leaves the blocks of a list, of class `c`, where other threads may take them: in the depot, or
/// if that is full, in their slabs. So are blocks above a slice: their slices then serve any other.
/// Returns how many they were.
std::uint32_t return_blocks(std::size_t c, block* first);

/// Gives what lies in the depot back to its slabs.
void empty_depot();

/// Does so, lets go of wholly free slabs, and releases the OS pages within free middle blocks of
/// other slabs.
void release_shared();

/// Gives all that the thread of `h` caches back to its slabs, for one that needs it no more. In a
/// slow section.
void return_cached(thread_heap& h);

/// Aborts if a block that the thread of `h` caches was written to after it was freed.
void look_at_cached(const thread_heap& h);

bool is_shared_heap(const thread_heap& h);

/// In a forked child, when another thread was in the shared heap: a new one is made on demand.
void drop_shared_heap();

}  // namespace heapsmith
