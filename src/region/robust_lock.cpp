// Taking a lock in shared memory: slots, waiting, and noticing that the holder has died.
#include "region/robust_lock.hpp"

#include <algorithm>

namespace heapsmith::regions {

namespace {

// The word of a robust mutex that the kernel reads: its interface, in linux/futex.h.
constexpr std::uint32_t holder_died = 0x40000000, holder_bits = 0x3fffffff;
// Where it lies in a mutex. glibc begins with it; musl has the type before.
#if defined(__GLIBC__)
constexpr std::size_t word_at = 0;
#else
constexpr std::size_t word_at = 4;
#endif

}  // namespace

int robust_lock::init() {
  pthread_mutexattr_t attributes;
  int error = pthread_mutexattr_init(&attributes);
  if (error != 0) return error;
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  word_.store(0, relaxed);  // no thread uses the lock
  for (pthread_mutex_t& slot : slots_)
    if (error == 0) error = pthread_mutex_init(&slot, &attributes);
  pthread_mutexattr_destroy(&attributes);
  return error;
}

std::uint32_t robust_lock::state_of(std::uint32_t slot) const {
  const auto at = reinterpret_cast<std::uintptr_t>(&slots_[slot]) + word_at;
  // acquire pairs with the kernel's mark: the writes of the thread that died are seen.
  return atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(at)).load(heapsmith::acquire);
}

/// Takes a slot that no thread holds. A slot that is held is not even tried: the kernel would take
/// a thread that dies meanwhile for the holder, if both have the same number.
bool robust_lock::claim_slot(claim& c) {
  for (std::uint32_t n = 0; n < slots; ++n) {
    c.ticket_ = tickets_.fetch_add(1, relaxed) & (~std::uint32_t{0} >> ticket_shift);
    const std::uint32_t slot = slot_of(c.ticket_);
    if ((state_of(slot) & holder_bits) != 0) continue;
    int error = pthread_mutex_trylock(&slots_[slot]);
    if (error == EOWNERDEAD) error = pthread_mutex_consistent(&slots_[slot]);
    if (error == 0) return true;
  }
  return false;
}

/// Whether the holder that the word names has died. `mine`: the caller's slot, which it holds, so
/// that any other ticket of it is that of a dead thread.
bool robust_lock::is_dead(std::uint32_t seen, std::uint32_t mine) const {
  const std::uint32_t slot = slot_of(seen >> ticket_shift);
  if (slot == mine) return true;
  return (state_of(slot) & (holder_died | holder_bits)) == holder_died;
}

int robust_lock::acquire(claim& c) {
  if (c.outer_ != nullptr && is_held_around(c)) return EDEADLK;
  while (!claim_slot(c)) {
    const std::uint32_t seen = word_.load(relaxed);  // only tells whether to wait
    if ((seen & broken) != 0) return ENOTRECOVERABLE;
    os::wait_shared(word_, seen, first_pause_ms);
  }
  const int error = acquire_from(c);
  if (error == ENOTRECOVERABLE) pthread_mutex_unlock(&slots_[slot_of(c.ticket_)]);
  return error;
}

/// Takes the lock for a thread that has a slot. Returns: 0, EOWNERDEAD, or ENOTRECOVERABLE.
int robust_lock::acquire_from(const claim& c) {
  std::uint32_t mine = c.ticket_ << ticket_shift | held;
  for (std::uint32_t pause = first_pause_ms;;) {
    // acquire pairs with the release of the exchange that wrote it: the holder's slot is held.
    std::uint32_t seen = word_.load(heapsmith::acquire);
    if ((seen & broken) != 0) return ENOTRECOVERABLE;
    const bool is_free = (seen & held) == 0;
    if (is_free || is_dead(seen, slot_of(c.ticket_))) {
      // acquire pairs with the release in unlock(), and release with the acquire above.
      if (word_.compare_exchange_strong(seen, mine | (seen & sleepers), acq_rel, relaxed))
        return is_free ? 0 : EOWNERDEAD;
      continue;
    }
    // relaxed: only marks that a thread sleeps; the kernel compares the word again.
    if ((seen & sleepers) == 0 &&
        !word_.compare_exchange_strong(seen, seen | sleepers, relaxed, relaxed))
      continue;
    os::wait_shared(word_, seen | sleepers, pause);
    mine |= sleepers;  // others may sleep
    pause = std::min(2 * pause, longest_pause_ms);
  }
}

/// Whether a call of this thread around `c` holds this lock, perhaps by another mapping of it.
bool robust_lock::is_held_around(const claim& c) const {
  for (const claim* outer = c.outer_; outer != nullptr; outer = outer->outer_)
    if (!is_forked(*outer) && (&outer->lock_ == this || is_same_memory(outer->lock_))) return true;
  return false;
}

/// `other` is held by this thread, so only this thread writes its mirror.
bool robust_lock::is_same_memory(const robust_lock& other) const {
  for (std::uint32_t n = 1; n <= 4; ++n) {
    const std::uint32_t written = mirror_.load(relaxed) + n;
    other.mirror_.store(written, relaxed);  // one thread writes and reads
    if (mirror_.load(relaxed) != written) return false;
  }
  return true;
}

}  // namespace heapsmith::regions
