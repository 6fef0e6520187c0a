// A region for many threads: caches of small blocks in front of a region behind a lock.
#pragma once

#include <cstddef>
#include <new>

#include "heapsmith/detail/region/caching_region.hpp"
#include "heapsmith/region.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * A region that many threads use at once: malloc over memory that the caller supplies.
 *
 * Small blocks, of up to 1032 bytes, are kept when they are freed, in one of 32 caches. Each has a
 * lock of its own, which is tried and not waited for: a thread keeps to its cache, and moves on to
 * the next when it meets another thread there. Blocks pass between the caches and the region behind
 * them in batches. That region has one lock, which everything else takes.
 *
 * A cached block is not in use, and no loss either: before a request fails, all caches are emptied,
 * so that nothing is refused that fits somewhere. They hold an eighth of the buffers at most, and
 * 128 KiB each. docs/decisions/0013-concurrent-region.md compares this with other designs.
 *
 * # Misuse
 * A second free stops the process with one line on stderr, whether the block lies in a cache or
 * went back, unless two threads free it at the same instant; so do frees of what is no block of
 * this region. See hs_region.
 *
 * Errors: std::bad_alloc from the throwing forms; nothing has changed then.
 * Complexity: constant for small blocks while the cache has one, or room for one; else region's.
 * Thread safety: any thread, and blocks may be deallocated by another thread. Construction, init
 * and destruction are one thread's alone. In the child of a fork, as little as std::mutex allows.
 * Memory: the object is 50 KiB and lies outside the buffers. Neither copies nor moves.
 * Source: magazines in front of a shared layer (Bonwick and Adams, 2001).
 *
 * ```cpp
 * static heapsmith::concurrent_region shared(buffer, sizeof buffer);
 * void* p = shared.allocate(100);          // by one thread
 * shared.deallocate(p);                    // by another
 * ```
 */
class concurrent_region {
 public:
  /// Every block is aligned to at least this many bytes.
  static constexpr std::size_t min_alignment = 16;

  /// A region without memory: every request fails until init or add_memory.
  concurrent_region() = default;

  /// As init; a buffer that init refuses leaves a region without memory.
  concurrent_region(void* buffer, std::size_t bytes) { init(buffer, bytes); }

  concurrent_region(const concurrent_region&) = delete;
  concurrent_region& operator=(const concurrent_region&) = delete;
  ~concurrent_region() = default;

  /// As region::init.
  bool init(void* buffer, std::size_t bytes) noexcept {
    return core_.with_everything([&](region& r, const cached&) {
      const bool done = r.init(buffer, bytes);
      if (done) core_.note_buffer_locked(buffer, bytes);
      return done;
    });
  }

  /// As region::add_memory; other threads may use the region meanwhile.
  bool add_memory(void* buffer, std::size_t bytes) noexcept {
    return core_.with_everything([&](region& r, const cached&) {
      const bool done = r.add_memory(buffer, bytes);
      if (done) core_.note_buffer_locked(buffer, bytes);
      return done;
    });
  }

  /// Requires: `align` is a power of two. Returns: a block of at least `bytes` bytes.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = min_alignment) {
    return or_throw(core_.try_allocate(bytes, align));
  }

  /// As allocate; nullptr instead of std::bad_alloc.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = min_alignment) noexcept {
    return core_.try_allocate(bytes, align);
  }

  /// Effects: ends the block at `p`; nullptr: nothing. Requires: `p` came from this region.
  void deallocate(void* p) noexcept { core_.deallocate(p); }

  /// As above: a block knows its size.
  void deallocate(void* p, std::size_t /*bytes*/, std::size_t /*align*/ = min_alignment) noexcept {
    core_.deallocate(p);
  }

  /// Returns: true when the block is now new_bytes long, where it was: longer or shorter.
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = min_alignment) noexcept {
    return core_.try_expand(p, old_bytes, new_bytes, align);
  }

  /// Effects: resizes in place, or moves with no lock held while contents are copied; nullptr
  /// allocates. Errors: std::bad_alloc; the block is as it was.
  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = min_alignment) {
    return or_throw(p == nullptr ? core_.try_allocate(new_bytes, align)
                                 : core_.try_reallocate(p, old_bytes, new_bytes, align));
  }

  /// Returns: a block and its usable bytes, which deallocate accepts too.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = min_alignment) {
    void* p = allocate(bytes, align);
    return {p, usable_size(p)};
  }

  /// Returns: how many bytes of the block may be used.
  [[nodiscard]] std::size_t usable_size(const void* p) const noexcept {
    core_.settle(p);
    return core_.with_region([&](const region& r) { return r.usable_size(p); });
  }

  /// Returns: whether `p` points into one of the buffers.
  [[nodiscard]] bool owns(const void* p) const noexcept {
    return core_.with_region([&](const region& r) { return r.owns(p); });
  }

  /// Effects: ends all blocks; the buffers stay. Requires: no thread uses a block any more.
  void reset() noexcept {
    core_.with_everything([&](region&, const cached&) { core_.reset_locked(); });
  }

  /// Effects: empties the caches and joins all free neighbours.
  /// Returns: the largest size that a request can now have.
  std::size_t defragment() noexcept {
    return core_.with_everything([&](region& r, const cached&) {
      core_.empty_caches_locked();
      return r.defragment();
    });
  }

  /// As region::stats. Cached blocks are told as deferred ones; only the peak has them in use.
  /// Complexity: a look at every list of every cache.
  [[nodiscard]] region_stats stats() const noexcept {
    return core_.with_everything([&](const region& r, const cached& c) {
      region_stats out = r.stats();
      const std::size_t bytes = c.usable_bytes + c.blocks * header_bytes;
      out.in_use_bytes -= bytes;
      out.available_bytes += bytes;
      out.deferred_bytes += bytes;
      out.failed_requests -= core_.retried_locked();
      return out;
    });
  }

  /// As region::survey. Cached blocks are told as deferred ones.
  [[nodiscard]] region_survey survey() const noexcept {
    return core_.with_everything([&](const region& r, const cached& c) {
      region_survey out = r.survey();
      out.blocks_in_use -= c.blocks;
      out.deferred_blocks += c.blocks;
      return out;
    });
  }

  /// As region::for_each_block, all caches being emptied first. `visit` must not use the region.
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    core_.with_everything([&](const region& r, const cached&) {
      core_.empty_caches_locked();
      r.for_each_block(visit);
    });
  }

  /// What check returns when a cache is broken; smaller numbers are those of region::check.
  static constexpr int cache_is_broken = 1000;

  /// Returns: 0, or the number of a broken invariant.
  [[nodiscard]] int check() const noexcept {
    return core_.with_everything([&](const region& r, const cached&) {
      return core_.is_sound_locked() ? r.check() : cache_is_broken;
    });
  }

  /// Blocks go back to the region they came from, and to no other.
  friend bool operator==(const concurrent_region& a, const concurrent_region& b) noexcept {
    return &a == &b;
  }

 private:
  using core = detail::caching_region<region>;
  using cached = core::cached;
  static constexpr std::size_t header_bytes = 8;

  static void* or_throw(void* p) {
    if (p == nullptr) [[unlikely]]
      throw std::bad_alloc();
    return p;
  }

  mutable core core_;  // where a free block lies is nothing that users of a const region see
};

static_assert(resource<concurrent_region> && expanding_resource<concurrent_region> &&
              reallocating_resource<concurrent_region> && generous_resource<concurrent_region> &&
              owning_resource<concurrent_region> && resettable_resource<concurrent_region> &&
              measured_resource<concurrent_region>);

}  // namespace heapsmith
