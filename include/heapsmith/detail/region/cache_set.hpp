// The caches of a concurrent region, and which of them a thread uses.
#pragma once

#include <atomic>
#include <cstdint>

#include "heapsmith/detail/region/block_cache.hpp"

namespace heapsmith::detail {

/// Threads get numbers in the order of their first use, so that as few as possible share a cache.
inline constinit std::atomic<std::uint32_t> threads_numbered = 0;

/// The number of the cache that this thread tries first in every region, plus 1; 0 if it has none.
inline constinit thread_local std::uint32_t usual_cache = 0;

/// The caches of a region. A thread never waits for a cache that another thread has locked: it
/// moves on to the next one, and keeps that.
class cache_set {
 public:
  static constexpr std::uint32_t count = 32;

  /// Returns: a cache whose lock the caller holds and must release; nullptr if all are locked.
  [[nodiscard]] block_cache* acquire_one() noexcept {
    block_cache& usual = caches_[(usual_cache - 1) % count];
    if (usual_cache != 0 && usual.lock.try_acquire()) [[likely]]
      return &usual;
    return acquire_other_slow();
  }

  /// Takes all locks. A thread that holds one of them never waits for another, so this cannot
  /// deadlock.
  void acquire_all() noexcept {
    for (block_cache& cache : caches_) cache.lock.acquire();
  }
  void release_all() noexcept {
    for (block_cache& cache : caches_) cache.lock.release();
  }

  block_cache* begin() noexcept { return caches_; }
  block_cache* end() noexcept { return caches_ + count; }

 private:
  [[gnu::noinline]] block_cache* acquire_other_slow() noexcept {
    // relaxed: the numbers order nothing else.
    if (usual_cache == 0)
      usual_cache = threads_numbered.fetch_add(1, std::memory_order_relaxed) % count + 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t number = (usual_cache - 1 + i) % count;
      if (caches_[number].lock.try_acquire()) {
        usual_cache = number + 1;
        return &caches_[number];
      }
    }
    return nullptr;
  }

  block_cache caches_[count];
};

}  // namespace heapsmith::detail
