// The shares that threads have in synchronized pools: how a thread finds its own, and how blocks
// come home.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "heapsmith/detail/pool_resource/piece_lists.hpp"

namespace heapsmith::detail {

class thread_shares;
struct pool_share;

/// Shares without a thread, the longest waiting first. Under shares_lock.
class orphan_list {
 public:
  void put_locked(pool_share* s) noexcept;
  pool_share* take_locked() noexcept;

 private:
  pool_share* first_ = nullptr;
  pool_share* last_ = nullptr;
};

/**
 * What one thread has of a synchronized pool, without its pieces. Only that thread uses it, but for
 * `returned`, onto which all others push blocks of its pieces.
 *
 * A thread that ends leaves its shares as orphans; a thread that comes to the pool adopts one. So a
 * piece keeps its share for as long as a block of it is in use, there are no more shares than there
 * were threads at once, and whoever frees a block knows where it belongs without asking anybody.
 */
struct alignas(64) pool_share {
  std::uint64_t pool = 0;           // the number of the pool
  orphan_list* orphans = nullptr;   // the pool's; they and the links below are under shares_lock
  thread_shares* thread = nullptr;  // nullptr: an orphan, or in the hands of one call
  pool_share* next_of_thread = nullptr;
  pool_share* next_orphan = nullptr;
  pool_share* next_of_pool = nullptr;

  // Blocks of one other share, on their way there: 32 of them cost one atomic operation.
  static constexpr unsigned batch = 32;
  pool_share* destination = nullptr;
  free_block* first = nullptr;
  free_block* last = nullptr;
  unsigned waiting = 0;

  alignas(64) std::atomic<free_block*> returned = nullptr;

  /// Effects: hands the chain to the thread whose share this is. Any thread.
  void push(free_block* from, free_block* to) noexcept {
    free_block* head = returned.load(std::memory_order_relaxed);
    do to->set_next(head);
    // release pairs with collect(): it sees the links and what was done in the blocks. relaxed
    // would let those writes arrive behind the push. A chain is only ever taken whole, so a head
    // that was away in between does no harm.
    while (!returned.compare_exchange_weak(head, from, std::memory_order_release,
                                           std::memory_order_relaxed));
  }

  /// Returns: the blocks that were pushed. For whoever has the share.
  free_block* collect() noexcept {
    // relaxed: a push that this misses is found the next time.
    if (returned.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return returned.exchange(nullptr, std::memory_order_acquire);  // pairs with push()
  }

  /// Effects: puts a block of another share's on its way.
  void send(free_block* b, pool_share* to) noexcept {
    if (destination != to) {
      flush();
      destination = to;
      last = b;
    }
    b->set_next(first);
    first = b;
    if (++waiting == batch) flush();
  }

  /// Effects: drops all blocks on their way. Requires: no other thread uses the pool.
  void forget_blocks() noexcept {
    waiting = 0;
    flush();
    // relaxed: only this thread uses the pool.
    returned.store(nullptr, std::memory_order_relaxed);
  }

  void flush() noexcept {
    if (waiting != 0) destination->push(first, last);
    destination = nullptr;
    first = nullptr;
    waiting = 0;
  }
};

inline void orphan_list::put_locked(pool_share* s) noexcept {
  s->thread = nullptr;
  s->next_orphan = nullptr;
  (first_ == nullptr ? first_ : last_->next_orphan) = s;
  last_ = s;
}

inline pool_share* orphan_list::take_locked() noexcept {
  pool_share* s = first_;
  if (s != nullptr) first_ = s->next_orphan;
  return s;
}

// Variables with default visibility, so that the shared libraries of a program have one of each.
#define HS_ONE_PER_PROGRAM [[gnu::visibility("default")]] inline constinit

/// Guards the links of all shares. Taken when a thread meets a pool for the first time, when either
/// ends, and when a pool needs a piece; nothing is called under it.
HS_ONE_PER_PROGRAM std::mutex shares_lock;

/// Pools are numbered, never twice alike: what a thread remembers of a pool that has ended can not
/// be taken for another one.
HS_ONE_PER_PROGRAM std::atomic<std::uint64_t> pools_numbered = 0;

/// The shares this thread used last, by the low bits of the pool's number.
struct share_slot {
  std::uint64_t pool;
  pool_share* share;
};
inline constexpr unsigned share_slots = 8;
HS_ONE_PER_PROGRAM thread_local share_slot slots_of_thread[share_slots] = {};

/// Destructors of thread-local objects run in an order nobody knows: after that of thread_shares a
/// thread has shares no more, and borrows one for each call.
HS_ONE_PER_PROGRAM thread_local bool has_no_shares = false;

/// All shares of a thread; ends with it.
class thread_shares {
 public:
  ~thread_shares() {
    has_no_shares = true;
    for (share_slot& s : slots_of_thread) s = {};
    const std::lock_guard guard(shares_lock);
    while (first_ != nullptr) {
      pool_share* s = std::exchange(first_, first_->next_of_thread);
      s->flush();
      s->orphans->put_locked(s);
    }
  }

  pool_share* find_locked(std::uint64_t pool) const noexcept {
    pool_share* s = first_;
    while (s != nullptr && s->pool != pool) s = s->next_of_thread;
    return s;
  }
  void join_locked(pool_share* s) noexcept {
    s->thread = this;
    s->next_of_thread = first_;
    first_ = s;
  }
  void leave_locked(pool_share* s) noexcept {
    pool_share** at = &first_;
    while (*at != s) at = &(*at)->next_of_thread;
    *at = s->next_of_thread;
    s->thread = nullptr;
  }

 private:
  pool_share* first_ = nullptr;
};

[[gnu::visibility("default")]] inline thread_local thread_shares shares_of_thread;

#undef HS_ONE_PER_PROGRAM

/// Gives back what a thread that can have no share of its own has found for one call.
class borrowed_until_return {
 public:
  explicit borrowed_until_return(pool_share* s) noexcept : borrowed_(s) {}
  borrowed_until_return(const borrowed_until_return&) = delete;
  borrowed_until_return& operator=(const borrowed_until_return&) = delete;
  ~borrowed_until_return() {
    if (!has_no_shares) [[likely]]
      return;
    borrowed_->flush();
    const std::lock_guard guard(shares_lock);
    borrowed_->orphans->put_locked(borrowed_);
  }

 private:
  pool_share* borrowed_;
};

inline share_slot& slot_of(std::uint64_t pool) noexcept {
  return slots_of_thread[pool % share_slots];
}

}  // namespace heapsmith::detail
