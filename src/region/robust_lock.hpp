// A lock in shared memory that survives the death of its holder, in whichever PID namespace.
#pragma once

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdint>

#include "base/atomic.hpp"
#include "os/shared_wait.hpp"

namespace heapsmith::regions {

/**
 * A lock that processes share. The kernel tells who of them died, by thread numbers, and those
 * repeat: in two containers the first process has number 1. So no thread ever waits for a mutex
 * that another one may hold. The lock is one word, which names the slot of its holder. A slot is a
 * robust mutex that only one thread takes, and that the kernel marks if this thread dies. A thread
 * that waits for the word looks at the slot of the holder every few milliseconds.
 *
 * The numbers of slots come from one counter. Two threads of equal number meet at a slot only if
 * one of them stands still between two instructions while all slots are given out once. Even then
 * one of them must die within the few instructions in which it tries the slot.
 */
class robust_lock {
 public:
  /// One call of a thread that takes the lock, on the stack. It knows the calls around it.
  class claim {
   public:
    explicit claim(const robust_lock& lock) : lock_(lock), outer_(innermost) { innermost = this; }
    ~claim() { innermost = outer_; }
    claim(const claim&) = delete;
    claim& operator=(const claim&) = delete;

   private:
    friend class robust_lock;
    static inline thread_local constinit const claim* innermost = nullptr;

    const robust_lock& lock_;
    const claim* const outer_;
    std::uint32_t ticket_ = 0;
    pid_t process_ = 0;  // set by a call that runs functions of the user under the lock
  };

  /// Requires: no thread uses the lock.
  int init();

  /// Effects: takes the lock. If the last holder died, calls `recover()`, which returns whether the
  /// guarded data is whole again. If it is not, no thread gets the lock any more.
  /// Returns: 0 if the caller holds the lock; ENOTRECOVERABLE if the data cannot be recovered;
  /// EDEADLK if a call around this one holds it.
  template <class Recover>
  int lock(claim& c, Recover recover) {
    const int error = acquire(c);
    if (error != EOWNERDEAD) return error;
    if (recover()) return 0;
    // release pairs with the acquire in acquire().
    word_.store(broken | held | sleepers, release);
    os::wake_shared(word_, INT_MAX);
    pthread_mutex_unlock(&slots_[slot_of(c.ticket_)]);
    return ENOTRECOVERABLE;
  }

  void unlock(const claim& c) {
    // release pairs with the acquire in acquire(): the next holder sees this section's writes.
    if ((word_.exchange(0, release) & sleepers) != 0) os::wake_shared(word_, 1);
    pthread_mutex_unlock(&slots_[slot_of(c.ticket_)]);
  }

  /// Functions of the user are about to run under the lock, which may fork.
  static void note_process(claim& c) { c.process_ = getpid(); }
  /// Whether this is a process that such a function forked, so that another one holds the lock.
  [[nodiscard]] static bool is_forked(const claim& c) {
    return c.process_ != 0 && c.process_ != getpid();
  }

 private:
  // The word: flags, and the holder's ticket above them, whose slot is ticket % slots.
  static constexpr std::uint32_t held = 1, sleepers = 2, broken = 4;
  static constexpr unsigned ticket_shift = 3;
  static constexpr std::uint32_t slots = 16;
  /// How long a thread sleeps before it looks whether the holder has died.
  static constexpr std::uint32_t first_pause_ms = 1, longest_pause_ms = 16;

  static std::uint32_t slot_of(std::uint32_t ticket) { return ticket % slots; }

  int acquire(claim& c);
  int acquire_from(const claim& c);
  [[nodiscard]] bool claim_slot(claim& c);
  [[nodiscard]] bool is_dead(std::uint32_t seen, std::uint32_t mine) const;
  [[nodiscard]] bool is_held_around(const claim& c) const;
  [[nodiscard]] bool is_same_memory(const robust_lock& other) const;
  [[nodiscard]] std::uint32_t state_of(std::uint32_t slot) const;

  atomic<std::uint32_t> word_ = 0;
  atomic<std::uint32_t> tickets_ = 0;         // pairs with nothing
  mutable atomic<std::uint32_t> mirror_ = 0;  // the holder finds other mappings of this lock by it
  pthread_mutex_t slots_[slots] = {};
};

}  // namespace heapsmith::regions
