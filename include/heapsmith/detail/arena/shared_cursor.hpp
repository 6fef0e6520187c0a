// A share of a concurrent arena: a cursor that several threads may move.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/arena/bump.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/**
 * [position, end) is free. A thread takes a block by compare-and-exchange of the position alone. So
 * alignment is exact, a refused request takes nothing, and the last block can be given back.
 *
 * The share is replaced in three steps: close the position, set the end, open the position. A
 * thread that read the old position and the new end fails to exchange, because a position returns
 * only if the memory behind it is free again.
 */
class alignas(64) shared_cursor {
 public:
  [[gnu::always_inline]] void* try_allocate(std::size_t bytes, std::size_t align) noexcept {
    // acquire, here and when the exchange fails, pairs with the release in open(): the end below
    // belongs to this position or to a later one. relaxed could join the position to an older end.
    std::uintptr_t seen = position_.load(std::memory_order_acquire);
    for (;;) {
      // acquire pairs with the release in open() and extend(): if this is the end of a later share,
      // the exchange comes after the closing, and fails.
      const auto limit = end_.load(std::memory_order_acquire);
      const auto found = bump<std::uintptr_t>(seen, limit, bytes, align);
      if (!found.fits) [[unlikely]]
        return nullptr;
      // acquire pairs with the release in move(): what a thread did in a block that it gave back
      // comes before what is done in this one.
      if (position_.compare_exchange_weak(seen, found.end, std::memory_order_acquire)) [[likely]] {
        auto* const block = reinterpret_cast<void*>(found.begin);
        probe::given(block, bytes);
        return block;
      }
    }
  }

  /// Returns: whether the last block, which ended at `from`, now ends at `to`.
  bool move(std::uintptr_t from, std::uintptr_t to) noexcept {
    // acquire and release: as in try_allocate(), because the block grows or its memory is reused.
    if (position_.load(std::memory_order_acquire) != from) return false;
    return to <= end_.load(std::memory_order_acquire) &&
           position_.compare_exchange_strong(from, to, std::memory_order_acq_rel,
                                             std::memory_order_relaxed);
  }

  std::size_t free_bytes() const noexcept {
    const auto position = position_.load(std::memory_order_relaxed);  // an estimate
    return position == closed ? 0 : end_.load(std::memory_order_relaxed) - position;
  }

  // The functions below are called under the arena's lock, or by the only thread.

  char* share() const noexcept { return share_; }
  std::size_t share_bytes() const noexcept { return share_bytes_; }

  /// Effects: abandons the rest of the old share and starts the new one.
  void open(void* share, std::size_t bytes) noexcept {
    close();
    share_ = static_cast<char*>(share);
    share_bytes_ = bytes;
    const auto begin = reinterpret_cast<std::uintptr_t>(share);
    // release pairs with the acquire of the end: its readers find the position closed.
    end_.store(begin + bytes, std::memory_order_release);
    // release pairs with the acquire of the position: its readers find the new end, and the
    // memory as this thread prepared it.
    position_.store(begin, std::memory_order_release);
  }

  /// Requires: the share has been extended to `bytes` bytes.
  void extend(std::size_t bytes) noexcept {
    share_bytes_ = bytes;
    end_.store(reinterpret_cast<std::uintptr_t>(share_) + bytes, std::memory_order_release);
  }

  void close() noexcept {
    // relaxed: the next store, of the end, is a release.
    position_.store(closed, std::memory_order_relaxed);
    share_ = nullptr;
    share_bytes_ = 0;
  }

 private:
  static constexpr auto closed = highest_position<std::uintptr_t>;

  std::atomic<std::uintptr_t> position_ = closed;
  std::atomic<std::uintptr_t> end_ = 0;
  char* share_ = nullptr;
  std::size_t share_bytes_ = 0;
};

/// Threads get consecutive numbers, so that few of them share an index.
inline constinit std::atomic<std::uint32_t> numbered_threads = 0;
inline constinit thread_local std::uint32_t thread_number = 0;  ///< 0: not numbered yet

[[gnu::noinline, gnu::cold]] inline std::uint32_t number_thread() noexcept {
  // relaxed: the number is all that matters.
  return thread_number = numbered_threads.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace heapsmith::detail
