// The caches of a concurrent region, and which of them a thread uses.
#pragma once

#include <atomic>
#include <cstdint>

#include "heapsmith/detail/region/block_cache.hpp"

namespace heapsmith::detail {

/// Threads are numbered as they come, so that as few as possible share a cache.
inline constinit std::atomic<std::uint32_t> threads_numbered = 0;

/// The number of the cache this thread tries first, plus 1; 0: it has none yet. In every region.
inline constinit thread_local std::uint32_t usual_cache = 0;

/// Nobody waits for a cache that another thread is using, or was preempted in: it goes on to the
/// next, and stays there.
class cache_set {
 public:
  static constexpr std::uint32_t count = 32;

  /// Returns: a cache whose lock the caller has and releases; nullptr when all are taken.
  [[nodiscard]] block_cache* acquire_one() noexcept {
    block_cache& usual = caches_[(usual_cache - 1) % count];
    if (usual_cache != 0 && usual.lock.try_acquire()) [[likely]]
      return &usual;
    return acquire_other_slow();
  }

  /// In the order of their addresses, as whoever holds one never waits for another.
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
    // relaxed: only numbers are drawn.
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
