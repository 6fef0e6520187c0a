// The paths of a concurrent region: first the caches, then the region behind them, under its lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>

#include "heapsmith/detail/probe.hpp"
#include "heapsmith/detail/region/cache_set.hpp"
#include "heapsmith/detail/region/region_header.hpp"

namespace heapsmith::detail {

/**
 * A region behind a lock, and `Caches` caches of blocks of `Lists` sizes in front of it.
 *
 * The region considers cached blocks live. `Region` is a parameter because this layer lies below
 * the layer of regions.
 */
template <class Region, unsigned Lists, std::uint32_t Caches>
class caching_region {
 public:
  using block_cache = detail::block_cache<Lists>;
  using cache_set = detail::cache_set<Lists, Caches>;

  /// The contents of all caches.
  struct cached {
    std::size_t blocks = 0;
    std::size_t usable_bytes = 0;
  };

  void* try_allocate(std::size_t bytes, std::size_t align) noexcept {
    if (bytes > cache_lists::usable_bytes(Lists) || align > min_alignment) [[unlikely]]
      return allocate_shared_slow(bytes, align);
    block_cache* cache = caches_.acquire_one();
    if (cache == nullptr) [[unlikely]]
      return allocate_shared_slow(bytes, align);
    const unsigned list = cache_lists::serving(bytes);
    void* p = cache->take(list);
    if (p == nullptr) [[unlikely]]
      p = refill_slow(*cache, list);
    cache->lock.release();
    if (p == nullptr) [[unlikely]]
      return allocate_shared_slow(bytes, align);
    probe::allocated(owner(), p, bytes, cache_lists::usable_bytes(list));
    return p;
  }

  void deallocate(void* p) noexcept {
    const unsigned list = live_.list_of(p);
    if (list == 0 || cached_block::at(p)->is_marked()) [[unlikely]]
      return deallocate_shared_slow(p);
    block_cache* cache = caches_.acquire_one();
    if (cache == nullptr) [[unlikely]]
      return deallocate_shared_slow(p);
    if (!cache->has_room(list)) [[unlikely]]
      if (!make_room_slow(*cache, list)) return cache->lock.release(), deallocate_shared_slow(p);
    probe::freed(owner(), p, cache_lists::usable_bytes(list));
    cache->keep(p, list);
    cache->lock.release();
  }

  bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                  std::size_t align) noexcept {
    settle(p);
    const std::lock_guard guard(lock_);
    return region_.try_expand(p, old_bytes, new_bytes, align);
  }

  /// Returns: the block; nullptr if out of memory, with the old block intact.
  /// Requires: p is not nullptr.
  void* try_reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                       std::size_t align) noexcept {
    if (try_expand(p, old_bytes, new_bytes, align)) return p;
    void* moved = try_allocate(new_bytes, align);
    if (moved == nullptr) return move_last_slow(p, old_bytes, new_bytes, align);
    std::memcpy(moved, p, std::min(old_bytes, new_bytes));
    deallocate(p);
    return moved;
  }

  /// Effects: if `p` is a block in a cache, which makes the caller's use of it a misuse, returns it
  /// to the region, which will then detect that.
  void settle(const void* p) noexcept {
    if (live_.list_of(p) == 0 || !cached_block::at(p)->is_marked()) return;
    with_everything([this](Region&, const cached&) { empty_caches_locked(); });
  }

  /// Effects: calls `f(region)`, holding the region's lock.
  template <class F>
  decltype(auto) with_region(F f) noexcept {
    const std::lock_guard guard(lock_);
    return f(region_);
  }

  /// Effects: calls `f(region, cached)` while no other thread is in a cache or in the region. A
  /// thread that waits for the region's lock may hold a cache, but a thread that holds a cache
  /// never waits for another one, so there is no deadlock.
  template <class F>
  decltype(auto) with_everything(F f) {
    const release_all_later guard(caches_);
    const std::lock_guard inner(lock_);
    cached sum;
    for (const block_cache& cache : caches_) {
      sum.blocks += cache.held_blocks();
      sum.usable_bytes += cache.held_bytes();
    }
    return f(region_, static_cast<const cached&>(sum));
  }

  // These are for the function that is passed to with_everything.

  /// Effects: notes a new buffer of the region, and raises the budget of the caches.
  void note_buffer_locked(const void* buffer, std::size_t bytes) noexcept {
    live_.learn_memory(buffer, bytes);
    buffer_bytes_ += bytes;
    for (block_cache& cache : caches_)
      cache.set_budget(std::min(most_cached_bytes, buffer_bytes_ / cached_part / caches_.count));
  }

  void empty_caches_locked() noexcept {
    for (block_cache& cache : caches_)
      cache.give_all([this](void* p, unsigned list) { give_locked(p, list); });
  }

  void reset_locked() noexcept {
    for (block_cache& cache : caches_) cache.forget();
    live_.forget_seal();
    region_.reset();
  }

  bool is_sound_locked() noexcept {
    return std::all_of(caches_.begin(), caches_.end(), [this](const block_cache& cache) {
      return cache.is_sound(
          [this](const void* p, unsigned list) { return live_.list_of(p) == list; });
    });
  }

  std::size_t retried_locked() const noexcept { return retried_; }

 private:
  static constexpr std::size_t min_alignment = 16;
  static constexpr std::size_t most_cached_bytes = std::size_t{128} << 10;  // in each
  static constexpr std::size_t cached_part = 8;  // all caches hold 1/8 of the buffers

  struct release_all_later {
    explicit release_all_later(cache_set& caches) noexcept : caches_(caches) {
      caches.acquire_all();
    }
    ~release_all_later() { caches_.release_all(); }
    release_all_later(const release_all_later&) = delete;
    release_all_later& operator=(const release_all_later&) = delete;
    cache_set& caches_;
  };

  const void* owner() noexcept { return region_.native(); }

  void give_locked(void* p, unsigned list) noexcept {
    const std::size_t usable = cache_lists::usable_bytes(list);
    probe::allocated(owner(), p, usable, usable);  // for the region it is live
    region_.deallocate(p);
  }

  /// Returns: a block for the user. Puts more of its size into the cache.
  /// Requires: the cache's lock.
  [[gnu::noinline]] void* refill_slow(block_cache& cache, unsigned list) noexcept {
    const std::lock_guard guard(lock_);
    const std::size_t usable = cache_lists::usable_bytes(list);
    void* first = region_.try_allocate(usable);
    if (first == nullptr) {
      ++retried_;  // the caller tries again
      return nullptr;
    }
    live_.learn_seal(first);
    for (unsigned n = 1; n < cache_lists::batch(list) && cache.has_room(list); ++n) {
      void* p = region_.try_allocate(usable);
      if (p == nullptr) {
        ++retried_;  // not a failure: the user requested one block only
        break;
      }
      const unsigned its_list =
          live_.list_of(p);  // it may be larger, with a rest too small for a block
      if (its_list == 0 || !cache.has_room(its_list)) {
        region_.deallocate(p);
        break;
      }
      probe::freed(owner(), p, cache_lists::usable_bytes(its_list));
      cache.keep(p, its_list);
    }
    return first;
  }

  /// Returns: whether there is room now; false if the budget is too small for the block.
  /// Requires: the cache's lock.
  [[gnu::noinline]] bool make_room_slow(block_cache& cache, unsigned list) noexcept {
    const std::lock_guard guard(lock_);
    cache.make_room(list, [this](void* p, unsigned its_list) { give_locked(p, its_list); });
    return cache.has_room(list);
  }

  /// Before a request fails, all caches are emptied into the region, and it tries once more. That
  /// suffices, because no other thread can free or cache a block meanwhile.
  [[gnu::noinline]] void* allocate_shared_slow(std::size_t bytes, std::size_t align) noexcept {
    {
      const std::lock_guard guard(lock_);
      void* p = region_.try_allocate(bytes, align);
      if (p != nullptr) live_.learn_seal(p);
      if (p != nullptr || bytes > live_.span_bytes()) return p;
      ++retried_;
    }
    return with_everything([&](Region& region, const cached&) {
      empty_caches_locked();
      void* p = region.try_allocate(bytes, align);
      if (p != nullptr) live_.learn_seal(p);
      return p;
    });
  }

  [[gnu::noinline]] void deallocate_shared_slow(void* p) noexcept {
    settle(p);
    const std::lock_guard guard(lock_);
    region_.deallocate(p);
  }

  /// The last way to grow a block: into cached blocks around it, or down into free memory in front.
  [[gnu::noinline]] void* move_last_slow(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                         std::size_t align) noexcept {
    return with_everything([&](Region& region, const cached&) -> void* {
      empty_caches_locked();
      ++retried_;  // the allocation that failed before this
      void* moved = region.try_reallocate(p, old_bytes, new_bytes, align);
      if (moved != nullptr) live_.learn_seal(moved);
      return moved;
    });
  }

  cache_set caches_;
  std::mutex lock_;  // after a cache's
  Region region_;
  live_blocks<Lists> live_;
  std::size_t buffer_bytes_ = 0;
  std::size_t retried_ = 0;  // requests that failed in the region, and were tried again
};

}  // namespace heapsmith::detail
