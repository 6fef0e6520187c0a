// How a thread finds its shares, and gives them up when it ends.
#pragma once

#include <cstdint>
#include <mutex>
#include <new>

#include "heapsmith/detail/pool_resource/pool_shares.hpp"

#if defined(__MINGW32__) && defined(__GNUC__) && !defined(__clang__)
#define HS_EMULATED_TLS 1
#include <pthread.h>

#include "heapsmith/detail/fatal.hpp"
#endif

namespace heapsmith::detail {

#if defined(HS_EMULATED_TLS)

// GCC for Windows emulates thread-local variables. When a thread ends, it frees their memory before
// it runs their destructors. So the shares of a thread lie in a block of their own, which a key of
// POSIX finds. The key's destructor runs again if a later one has used a pool.

struct shares_and_slots {
  thread_shares shares;
  share_slot slots[share_slots] = {};
};

inline pthread_key_t shares_key() noexcept {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    const auto end = [](void* p) { delete static_cast<shares_and_slots*>(p); };
    if (pthread_key_create(&made, end) != 0)
      fatal("synchronized_pool: no thread-local key is left");
    return made;
  }();
  return key;
}

inline shares_and_slots* found_by_thread() noexcept {
  return static_cast<shares_and_slots*>(pthread_getspecific(shares_key()));
}

/// Returns: the share of this thread in a pool, if it used the pool lately; or nullptr.
inline pool_share* share_used_last(std::uint64_t pool) noexcept {
  const shares_and_slots* found = found_by_thread();
  if (found == nullptr) return nullptr;
  const share_slot& slot = found->slots[pool % share_slots];
  return slot.pool == pool ? slot.share : nullptr;
}

/// Requires: shares_of_thread() has returned an object.
inline void remember_share(std::uint64_t pool, pool_share* s) noexcept {
  found_by_thread()->slots[pool % share_slots] = {pool, s};
}

/// Returns: the shares of this thread; nullptr if it can have none, for lack of memory.
inline thread_shares* shares_of_thread() noexcept {
  shares_and_slots* found = found_by_thread();
  if (found == nullptr) {
    found = new (std::nothrow) shares_and_slots;
    if (found == nullptr) return nullptr;
    if (pthread_setspecific(shares_key(), found) != 0) {
      delete found;
      return nullptr;
    }
  }
  return &found->shares;
}

/// Returns: whether shares_of_thread(), called last, returned an object.
inline bool thread_has_shares() noexcept {
  return found_by_thread() != nullptr;
}

#undef HS_EMULATED_TLS

#else

// Variables with default visibility, so that all shared libraries of a program use the same ones.
#define HS_ONE_PER_PROGRAM [[gnu::visibility("default")]] inline constinit

HS_ONE_PER_PROGRAM thread_local share_slot slots_of_thread[share_slots] = {};

/// True after the thread's shares were destroyed. The destructors of other thread-local objects may
/// run later: the thread then borrows a share for each call.
HS_ONE_PER_PROGRAM thread_local bool has_no_shares = false;

#undef HS_ONE_PER_PROGRAM

struct ending_thread_shares : thread_shares {
  ending_thread_shares() = default;
  ~ending_thread_shares() {
    has_no_shares = true;
    for (share_slot& s : slots_of_thread) s = {};
  }
};

[[gnu::visibility("default")]] inline thread_local ending_thread_shares all_shares_of_thread;

/// Returns: the share of this thread in a pool, if it used the pool lately; or nullptr.
inline pool_share* share_used_last(std::uint64_t pool) noexcept {
  const share_slot& slot = slots_of_thread[pool % share_slots];
  return slot.pool == pool ? slot.share : nullptr;
}

inline void remember_share(std::uint64_t pool, pool_share* s) noexcept {
  slots_of_thread[pool % share_slots] = {pool, s};
}

/// Returns: the shares of this thread; nullptr if it is about to end, and can have none.
inline thread_shares* shares_of_thread() noexcept {
  return has_no_shares ? nullptr : &all_shares_of_thread;
}

inline bool thread_has_shares() noexcept {
  return !has_no_shares;
}

#endif

/// Makes a share an orphan again that a thread without shares has borrowed for one call.
class borrowed_until_return {
 public:
  explicit borrowed_until_return(pool_share* s) noexcept : borrowed_(s) {}
  borrowed_until_return(const borrowed_until_return&) = delete;
  borrowed_until_return& operator=(const borrowed_until_return&) = delete;
  ~borrowed_until_return() {
    if (thread_has_shares()) [[likely]]
      return;
    borrowed_->flush();
    const std::lock_guard guard(shares_lock);
    borrowed_->orphans->put_locked(borrowed_);
  }

 private:
  pool_share* borrowed_;
};

}  // namespace heapsmith::detail
