// The shares of threads in synchronized pools, and how blocks return to theirs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "heapsmith/detail/pool_resource/piece_lists.hpp"
#include "heapsmith/detail/static_mutex.hpp"

namespace heapsmith::detail {

class thread_shares;
struct pool_share;

/// Shares without a thread, the oldest first. Under shares_lock.
class orphan_list {
 public:
  void put_locked(pool_share* s) noexcept;
  pool_share* take_locked() noexcept;

 private:
  pool_share* first_ = nullptr;
  pool_share* last_ = nullptr;
};

/**
 * The share of one thread in a synchronized pool, without its pieces. Only that thread uses it,
 * except for `returned`: other threads push blocks of its pieces there.
 *
 * A thread that ends leaves its shares as orphans. A thread that is new to the pool adopts one. So
 * a piece keeps its share while one of its blocks is in use, the number of shares is the maximum
 * number of threads at a time, and a thread finds the share of any block without a lock.
 */
struct alignas(64) pool_share {
  std::uint64_t pool = 0;           // the number of the pool
  orphan_list* orphans = nullptr;   // the pool's; they and the links below are under shares_lock
  thread_shares* thread = nullptr;  // nullptr: an orphan, or borrowed for one call
  pool_share* of_thread[4] = {};    // the shares below this one in the tree of its thread
  pool_share* next_orphan = nullptr;
  pool_share* next_of_pool = nullptr;

  // Blocks of one other share that wait to be sent there: 32 blocks cost one atomic operation.
  static constexpr unsigned batch = 32;
  pool_share* destination = nullptr;
  free_block* first = nullptr;
  free_block* last = nullptr;
  unsigned waiting = 0;

  alignas(64) std::atomic<free_block*> returned = nullptr;

  /// Effects: returns a chain of blocks to this share. Any thread.
  void push(free_block* from, free_block* to) noexcept {
    free_block* head = returned.load(std::memory_order_relaxed);
    do to->set_next(head);
    // release pairs with collect(): it sees the links and the contents of the blocks. With relaxed,
    // those writes could arrive after the push. The whole list is taken at a time, so it is
    // harmless if the head was removed and pushed again meanwhile.
    while (!returned.compare_exchange_weak(head, from, std::memory_order_release,
                                           std::memory_order_relaxed));
  }

  /// Returns: the blocks that were pushed. Only for the holder of the share.
  free_block* collect() noexcept {
    // relaxed: the next call finds a push that this one misses.
    if (returned.load(std::memory_order_relaxed) == nullptr) return nullptr;
    return returned.exchange(nullptr, std::memory_order_acquire);  // pairs with push()
  }

  /// Effects: sends a block to its share `to`, when the batch is full.
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

  /// Effects: forgets blocks that wait to be sent or collected, because all blocks end.
  /// Requires: no other thread uses the pool.
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

// Variables with default visibility, so that all shared libraries of a program use the same ones.
#define HS_ONE_PER_PROGRAM [[gnu::visibility("default")]] inline constinit

/// Protects the links of all shares. Taken when a thread uses a pool for the first time, when a
/// thread or a pool ends, and when a pool needs a piece. No function is called under it.
HS_ONE_PER_PROGRAM static_mutex shares_lock;

/// The number of pools so far. Each pool has a unique number, so that a thread does not confuse a
/// new pool with one that has ended.
HS_ONE_PER_PROGRAM std::atomic<std::uint64_t> pools_numbered = 0;

/// The shares that a thread used last, indexed by the low bits of the pool's number.
struct share_slot {
  std::uint64_t pool;
  pool_share* share;
};
inline constexpr unsigned share_slots = 8;

/**
 * All shares of a thread. Destroyed when the thread ends.
 *
 * They form a tree, in which two bits of the pool's number, well mixed, choose one of four ways at
 * each level. Two pools differ in one of the 32 pairs of bits at the latest: a search looks at 32
 * shares at most, and at log4(n) of n on average. The tree needs no memory of its own.
 *
 * Source: the hash trie of Phil Bagwell, "Ideal Hash Trees" (2001), with shares for nodes.
 */
class thread_shares {
 public:
  thread_shares() = default;
  thread_shares(const thread_shares&) = delete;
  thread_shares& operator=(const thread_shares&) = delete;
  ~thread_shares() {
    const std::lock_guard guard(shares_lock);
    while (root_ != nullptr) {
      pool_share* s = root_;
      leave_locked(s);
      s->flush();
      s->orphans->put_locked(s);
    }
  }

  pool_share* find_locked(std::uint64_t pool) noexcept { return *place_of(pool); }
  void join_locked(pool_share* s) noexcept {
    s->thread = this;
    *place_of(s->pool) = s;
  }
  /// Effects: puts a share from the end of a branch below `s` in its place.
  void leave_locked(pool_share* s) noexcept {
    pool_share** const at = place_of(s->pool);
    pool_share** end = at;
    while (pool_share** const below = any_below(*end)) end = below;
    pool_share* const heir = std::exchange(*end, nullptr);
    if (heir != s) {
      for (int i = 0; i < 4; ++i) heir->of_thread[i] = std::exchange(s->of_thread[i], nullptr);
      *at = heir;
    }
    s->thread = nullptr;
  }

 private:
  /// Returns: where the share of a pool is linked, or where it would be.
  pool_share** place_of(std::uint64_t pool) noexcept {
    pool_share** at = &root_;
    // An odd factor maps no two numbers to one.
    std::uint64_t ways = pool * 0x9E3779B97F4A7C15u;
    for (; *at != nullptr && (*at)->pool != pool; ways <<= 2) at = &(*at)->of_thread[ways >> 62];
    return at;
  }
  static pool_share** any_below(pool_share* s) noexcept {
    for (pool_share*& below : s->of_thread)
      if (below != nullptr) return &below;
    return nullptr;
  }

  pool_share* root_ = nullptr;
};

#undef HS_ONE_PER_PROGRAM

}  // namespace heapsmith::detail
