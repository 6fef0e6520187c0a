// A region for many threads: caches of small blocks in front of a region behind a lock.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>
#include <new>

#include "heapsmith/detail/or_throw.hpp"
#include "heapsmith/detail/region/caching_region.hpp"
#include "heapsmith/region.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * A region for several threads: malloc over memory that the caller supplies.
 *
 * Freed blocks of up to 1032 bytes are kept in one of 32 caches. Each cache has a lock of its own.
 * A thread keeps to one cache and never waits for its lock: if another thread holds that lock, the
 * thread moves on to the next cache. Blocks pass between the caches and the region behind them in
 * batches. All other calls take the lock of that region.
 *
 * Cached blocks are not in use, and they are not lost either: before a request fails, all caches
 * are emptied. The caches hold at most an eighth of the buffers together, and 128 KiB each.
 * docs/design/regions.md compares this with other designs.
 *
 * # Misuse
 * A second free aborts the process with one line on stderr. The block may be in a cache or in the
 * region. If two threads free the block at the same instant, this may go unnoticed. A free of a
 * pointer that is not a block of this region aborts too; see hs_region.
 *
 * Errors: the constructor, allocate, reallocate and allocate_at_least throw std::bad_alloc; nothing
 * has changed then. The region neither copies nor moves, so there is no try_create: construct it
 * without memory and call init.
 * Complexity: constant for small blocks if the cache has one, or room for one; else as region.
 * Thread safety: any thread may call any function, and deallocate the blocks of another thread; but
 * only one thread may construct, init or destroy the region. In the child of a fork, the limits of
 * std::mutex apply.
 * Memory: the object takes 50 KiB outside the buffers. A `small_concurrent_region` takes 1408
 * bytes: it has 4 caches of blocks of up to 136 bytes, and the limits of `small_region`.
 * Source: magazines in front of a shared layer (Bonwick and Adams, 2001).
 *
 * ```cpp
 * static heapsmith::concurrent_region shared(buffer, sizeof buffer);
 * void* p = shared.allocate(100);          // by one thread
 * shared.deallocate(p);                    // by another
 * ```
 */
template <class Bins>
class basic_concurrent_region {
 public:
  /// Every block is aligned to at least this many bytes.
  static constexpr std::size_t min_alignment = 16;
  static constexpr bool is_thread_safe = true;

  /// Effects: makes a region without memory. Every request fails until init or add_memory succeeds.
  basic_concurrent_region() = default;

  /// Effects: as init. Errors: throws std::bad_alloc if init refuses the buffer.
  basic_concurrent_region(void* buffer, std::size_t bytes) {
    if (!init(buffer, bytes)) detail::raise(std::bad_alloc());
  }

  basic_concurrent_region(const basic_concurrent_region&) = delete;
  basic_concurrent_region& operator=(const basic_concurrent_region&) = delete;
  ~basic_concurrent_region() = default;

  /// As region::init.
  bool init(void* buffer, std::size_t bytes) noexcept {
    return core_.with_everything([&](underlying& r, const cached&) {
      const bool done = r.init(buffer, bytes);
      if (done) core_.note_buffer_locked(buffer, bytes);
      return done;
    });
  }

  /// As region::add_memory. Other threads may use the region meanwhile.
  bool add_memory(void* buffer, std::size_t bytes) noexcept {
    return core_.with_everything([&](underlying& r, const cached&) {
      const bool done = r.add_memory(buffer, bytes);
      if (done) core_.note_buffer_locked(buffer, bytes);
      return done;
    });
  }

  /// Returns: a block of at least `bytes` bytes. Requires: `align` is a power of two.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) {
    return detail::or_throw(core_.try_allocate(bytes, align));
  }

  /// As allocate. Errors: returns nullptr.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = min_alignment) noexcept {
    return core_.try_allocate(bytes, align);
  }

  /// Effects: frees the block at `p`; does nothing if `p` is nullptr.
  /// Requires: the block is from this region.
  void deallocate(void* p) noexcept { core_.deallocate(p); }
  void deallocate(void* p, std::size_t /*bytes*/, std::size_t /*align*/ = min_alignment) noexcept {
    core_.deallocate(p);
  }

  /// Effects: makes the block `new_bytes` long, longer or shorter, without moving it.
  /// Returns: true on success.
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = min_alignment) noexcept {
    return core_.try_expand(p, old_bytes, new_bytes, align);
  }

  /// Effects: resizes the block in place, or by moving it with no lock held while its contents are
  /// copied. If `p` is nullptr, allocates.
  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = min_alignment) {
    return detail::or_throw(p == nullptr ? core_.try_allocate(new_bytes, align)
                                         : core_.try_reallocate(p, old_bytes, new_bytes, align));
  }

  /// Returns: a block and its usable size, with which it may be deallocated.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) {
    void* p = allocate(bytes, align);
    return {p, usable_size(p)};
  }

  /// Returns: the usable size of the block at `p`.
  [[nodiscard]] std::size_t usable_size(const void* p) const noexcept {
    core_.settle(p);
    return core_.with_region([&](const underlying& r) { return r.usable_size(p); });
  }

  /// Returns: whether `p` points into one of the buffers.
  [[nodiscard]] bool owns(const void* p) const noexcept {
    return core_.with_region([&](const underlying& r) { return r.owns(p); });
  }

  /// Effects: ends all blocks; the buffers stay. Requires: no thread uses a block any longer.
  void reset() noexcept {
    core_.with_everything([&](underlying&, const cached&) { core_.reset_locked(); });
  }

  /// Effects: empties the caches and joins all free neighbours.
  /// Returns: the size of the largest request that would now succeed.
  std::size_t defragment() noexcept {
    return core_.with_everything([&](underlying& r, const cached&) {
      core_.empty_caches_locked();
      return r.defragment();
    });
  }

  /// As region::stats. Cached blocks count as deferred, but in peak_bytes as in use.
  /// Complexity: linear in the number of caches.
  [[nodiscard]] region_stats stats() const noexcept {
    return core_.with_everything([&](const underlying& r, const cached& c) {
      region_stats out = r.stats();
      const std::size_t bytes = c.usable_bytes + c.blocks * header_bytes;
      out.in_use_bytes -= bytes;
      out.available_bytes += bytes;
      out.deferred_bytes += bytes;
      out.failed_requests -= core_.retried_locked();
      return out;
    });
  }

  /// As region::survey. Cached blocks count as deferred.
  [[nodiscard]] region_survey survey() const noexcept {
    return core_.with_everything([&](const underlying& r, const cached& c) {
      region_survey out = r.survey();
      out.blocks_in_use -= c.blocks;
      out.deferred_blocks += c.blocks;
      return out;
    });
  }

  /// As region::for_each_block, after emptying all caches.
  /// Requires: `visit` does not use the region.
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    core_.with_everything([&](const underlying& r, const cached&) {
      core_.empty_caches_locked();
      r.for_each_block(visit);
    });
  }

  /// The result of check if a cache is broken; smaller numbers are those of region::check.
  static constexpr int cache_is_broken = 1000;

  /// Returns: 0 if all invariants hold; else the number of a broken one.
  [[nodiscard]] int check() const noexcept {
    return core_.with_everything([&](const underlying& r, const cached&) {
      return core_.is_sound_locked() ? r.check() : cache_is_broken;
    });
  }

  /// Returns: whether both are the same region. Only the region that allocated a block can free it.
  friend bool operator==(const basic_concurrent_region& a,
                         const basic_concurrent_region& b) noexcept {
    return &a == &b;
  }

 private:
  using underlying = basic_region<Bins>;
  using core = detail::caching_region<underlying, Bins::cached_sizes, Bins::caches>;
  using cached = typename core::cached;
  static constexpr std::size_t header_bytes = 8;

  mutable core core_;  // mutable: users of a const region do not see where a free block lies
};

/// A region for many threads and much memory.
using concurrent_region = basic_concurrent_region<fine_bins>;

struct coarse_bins;
/// A region for a few threads and little memory. Needs small_region.hpp.
using small_concurrent_region = basic_concurrent_region<coarse_bins>;

static_assert(resource<concurrent_region> && expanding_resource<concurrent_region> &&
              reallocating_resource<concurrent_region> && generous_resource<concurrent_region> &&
              owning_resource<concurrent_region> && resettable_resource<concurrent_region> &&
              measured_resource<concurrent_region>);

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
