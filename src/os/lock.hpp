// A futex lock that records its owner, so that fork and signal handlers can tell their own locks
// from others'.
#pragma once

#include "base/atomic.hpp"
#include "os/lock_order.hpp"
#include "os/os.hpp"
#include "os/this_thread.hpp"

namespace heapsmith::os {

/// How many locks this thread holds or waits for. Never too low, so 0 tells a signal handler that
/// it interrupts no section.
inline thread_local constinit std::uint32_t locks_wanted = 0;

/// Mutual exclusion in one word: 0, or the holder's thread number, with a bit for sleepers. So who
/// holds it is exact at every instruction, for the holder. Not recursive. Never spins: threads may
/// outnumber cores, and every section it guards is short.
class lock {
 public:
  constexpr explicit lock(lock_rank rank = lock_rank::test) : rank_(rank) {}

  // Not inlined: every caller is slow, and start-up pays for each page of code.
  [[gnu::noinline]] void acquire() {
    ++locks_wanted;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // a signal handler sees it first
    if (!acquire_if_free()) [[unlikely]]
      acquire_slow();
    note_taken(rank_);  // once held, so that a signal handler sees either both or none
  }

  /// Takes the lock if it is free: a call that interrupts the holder may ask, too.
  [[gnu::noinline]] bool try_acquire() {
    ++locks_wanted;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // as in acquire()
    const bool taken = acquire_if_free();
    if (taken)
      note_taken(rank_);
    else
      --locks_wanted;
    return taken;
  }

  [[gnu::noinline]] void release() {
    note_released(rank_);
    // release pairs with acquire_if_free(): the next holder sees this section's writes.
    if (is_alone())
      word_.store(nobody, relaxed);
    else if ((word_.exchange(nobody, heapsmith::release) & sleepers) != 0) [[unlikely]]
      wake_one(&word_);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --locks_wanted;
  }

  /// True when the calling thread holds the lock; exact, whatever others do.
  bool held_here() const { return held_by(thread_number()); }
  bool held_by(std::uint32_t thread) const {
    return (word_.load(relaxed) & ~sleepers) == thread;  // relaxed: its own number is its own write
  }

  bool held_by_anyone() const { return word_.load(relaxed) != nobody; }

  /// In a forked child: the lock is free, its holder may not exist.
  void reset_in_child() {
    note_released(rank_);
    word_.store(nobody, relaxed);  // the child has one thread
  }

 private:
  static constexpr std::uint32_t nobody = 0, sleepers = std::uint32_t{1} << 31;

  /// A process with one thread spares the exchanges, which cost as much as the rest of a short
  /// section. Only this thread could end that, and it does not while it is here. A signal handler
  /// that comes in between leaves the word as it was.
  bool acquire_if_free() {
    std::uint32_t seen = nobody;
    if (!is_alone())
      // acquire pairs with the release in release(): the section sees what the last holder wrote.
      return word_.compare_exchange_strong(seen, thread_number(), heapsmith::acquire, relaxed);
    if (word_.load(relaxed) != nobody) return false;  // in a child: its holder may not exist
    word_.store(thread_number(), relaxed);
    return true;
  }

  /// A thread that slept takes the lock with the sleepers' bit, because others may sleep.
  [[gnu::noinline, gnu::cold]] void acquire_slow() {
    for (;;) {
      before_waiting();
      std::uint32_t seen = word_.load(relaxed);  // a guess; the exchanges check it
      if (seen == nobody) {
        // acquire for the same pair as in acquire().
        if (word_.compare_exchange_strong(seen, thread_number() | sleepers, heapsmith::acquire,
                                          relaxed))
          return;
        continue;
      }
      // relaxed: only marks that a thread sleeps; the kernel compares the word again.
      if ((seen & sleepers) == 0 &&
          !word_.compare_exchange_strong(seen, seen | sleepers, relaxed, relaxed))
        continue;
      wait(&word_, seen | sleepers);
    }
  }

  atomic<std::uint32_t> word_{nobody};
  const lock_rank rank_;
};

/// True while this thread holds every lock for a fork. Other libraries' fork handlers that use the
/// heap then run inside those sections.
inline thread_local constinit bool holds_all_locks = false;

class lock_guard {
 public:
  explicit lock_guard(lock& l) : lock_(holds_all_locks ? nullptr : &l) {
    if (lock_ != nullptr) lock_->acquire();
  }
  ~lock_guard() {
    if (lock_ != nullptr) lock_->release();
  }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;

 private:
  lock* lock_;
};

/// For sections that only read, and may run in a signal handler: a thread that was interrupted
/// within a section reads without the lock, which it may hold itself.
class outer_guard {
 public:
  explicit outer_guard(lock& l) : lock_(locks_wanted != 0 ? nullptr : &l) {
    if (lock_ != nullptr) lock_->acquire();
  }
  ~outer_guard() {
    if (lock_ != nullptr) lock_->release();
  }
  outer_guard(const outer_guard&) = delete;
  outer_guard& operator=(const outer_guard&) = delete;

 private:
  lock* lock_;
};

/// True when the caller interrupts a section of its own thread that one of `locks` guards.
template <class... Locks>
[[gnu::always_inline]] inline bool interrupts(const Locks&... locks) {
  if (locks_wanted == 0 || holds_all_locks) return false;
  const std::uint32_t me = thread_number();
  return (locks.held_by(me) || ...);
}

}  // namespace heapsmith::os
