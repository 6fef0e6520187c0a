// The caches of a concurrent region, and which of them a thread uses.
#pragma once

#include <atomic>
#include <cstdint>

#include "heapsmith/detail/region/block_cache.hpp"

namespace heapsmith::detail {

/// Threads get numbers in the order of their first use, so that as few as possible share a cache.
inline constinit std::atomic<std::uint32_t> threads_numbered = 0;

/// The most caches that a region has.
inline constexpr std::uint32_t most_caches = 32;

/// The number of the cache that this thread tries first in every region, plus 1; 0 if it has none.
/// A region with fewer caches takes the remainder.
inline constinit thread_local std::uint32_t usual_cache = 0;

/// The caches of a region. A thread never waits for a cache that another thread has locked: it
/// moves on to the next one, and keeps that.
template <unsigned Lists, std::uint32_t Count>
class cache_set {
 public:
  using cache = block_cache<Lists>;
  static constexpr std::uint32_t count = Count;

  /// Returns: a cache whose lock the caller holds and must release; nullptr if all are locked.
  [[nodiscard]] cache* acquire_one() noexcept {
    cache& usual = caches_[(usual_cache - 1) % count];
    if (usual_cache != 0 && usual.lock.try_acquire()) [[likely]]
      return &usual;
    return acquire_other_slow();
  }

  /// Takes all locks. A thread that holds one of them never waits for another, so this cannot
  /// deadlock.
  void acquire_all() noexcept {
    for (cache& c : caches_) c.lock.acquire();
  }
  void release_all() noexcept {
    for (cache& c : caches_) c.lock.release();
  }

  cache* begin() noexcept { return caches_; }
  cache* end() noexcept { return caches_ + count; }

 private:
  [[gnu::noinline]] cache* acquire_other_slow() noexcept {
    // relaxed: the numbers order nothing else.
    if (usual_cache == 0)
      usual_cache = threads_numbered.fetch_add(1, std::memory_order_relaxed) % most_caches + 1;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t number = (usual_cache - 1 + i) % most_caches;
      if (caches_[number % count].lock.try_acquire()) {
        usual_cache = number + 1;
        return &caches_[number % count];
      }
    }
    return nullptr;
  }

  static_assert(most_caches % count == 0);

  cache caches_[count];
};

}  // namespace heapsmith::detail
