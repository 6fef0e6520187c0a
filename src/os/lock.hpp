// A futex lock that records its owner, so that fork and signal handlers can tell their own locks
// from others'.
#pragma once

#include "base/atomic.hpp"
#include "os/lock_order.hpp"
#include "os/os.hpp"

namespace heapsmith::os {

/// Mutual exclusion of three words' states: free, held, held with sleepers. Not recursive. Never
/// spins: threads may outnumber cores, and every section it guards is short.
class lock {
 public:
  constexpr explicit lock(lock_rank rank = lock_rank::test) : rank_(rank) {}

  void acquire() {
    note_taken(rank_);
    std::uint32_t seen = free_;
    // acquire pairs with the release in release_(): the section sees what the last holder wrote.
    if (!word_.compare_exchange_strong(seen, held, heapsmith::acquire, relaxed)) [[unlikely]]
      acquire_slow(seen);
    // relaxed: only this thread compares the owner with itself.
    owner_.store(thread_token(), relaxed);
  }

  void release() {
    note_released(rank_);
    owner_.store(0, relaxed);
    // release pairs with acquire(): the next holder sees this section's writes.
    if (word_.exchange(free_, heapsmith::release) == contended) [[unlikely]]
      wake_one(&word_);
  }

  /// True when the calling thread holds the lock; exact for that thread, whatever others do.
  bool held_here() const { return owner_.load(relaxed) == thread_token(); }

  /// In a forked child: the lock is free, whoever held it is gone.
  void reset_in_child() {
    note_released(rank_);
    owner_.store(0, relaxed);
    word_.store(free_, relaxed);  // the child has one thread
  }

 private:
  static constexpr std::uint32_t free_ = 0, held = 1, contended = 2;

  [[gnu::noinline, gnu::cold]] void acquire_slow(std::uint32_t seen) {
    // acquire for the same pair as in acquire(); sleepers mark the word so that release() wakes
    // one.
    if (seen != contended) seen = word_.exchange(contended, heapsmith::acquire);
    while (seen != free_) {
      wait(&word_, contended);
      seen = word_.exchange(contended, heapsmith::acquire);
    }
  }

  atomic<std::uint32_t> word_{free_};
  atomic<std::uintptr_t> owner_{0};
  const lock_rank rank_;
};

class lock_guard {
 public:
  explicit lock_guard(lock& l) : lock_(l) { lock_.acquire(); }
  ~lock_guard() { lock_.release(); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;

 private:
  lock& lock_;
};

}  // namespace heapsmith::os
