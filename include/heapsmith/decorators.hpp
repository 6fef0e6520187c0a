// Resources made of another resource and one property more: synchronized<R>, behind a lock, here;
// counting, limiting, logging and fallback in headers of their own.
#pragma once

#include <concepts>
#include <cstddef>
#include <mutex>
#include <utility>

#include "heapsmith/counting.hpp"
#include "heapsmith/fallback.hpp"
#include "heapsmith/limiting.hpp"
#include "heapsmith/logging.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * A resource behind a lock, so that many threads may use it.
 *
 * Every operation takes the lock, does what `R` does, and releases it. There is nothing else to it:
 * one thread at a time is served, and a thread that is interrupted inside keeps the others waiting.
 * Where many threads allocate small blocks from a region, `concurrent_region` keeps most of them
 * away from the lock.
 *
 * # Requires
 * `R` is a resource. `Lock` is Lockable; it is constructed without arguments. What `R` calls (its
 * upstream, a new_handler, a visitor of blocks) does not call the same object again.
 *
 * # Operations
 * Those of `R`, and of the optional ones those that `R` has: try_expand, reallocate,
 * allocate_at_least, owns, release, reset, stats; and of a region's own init, add_memory,
 * deallocate(p), usable_size, defragment, survey, for_each_block, check. `with_lock` reaches the
 * others.
 *
 * Errors and complexity: those of `R`. A block that `R` moves is copied under the lock.
 * Thread safety: any thread, and blocks may be deallocated by another thread; construction and
 * destruction by one thread alone. In the child of a fork, as little as std::mutex allows.
 * Source: the monitor of Hoare (1974); decorated resources as in foonathan/memory's
 * thread_safe_allocator.
 *
 * ```cpp
 * heapsmith::synchronized<heapsmith::region> shared(buffer, sizeof buffer);
 * void* p = shared.allocate(100);          // by one thread
 * shared.deallocate(p, 100);               // by another
 * ```
 */
template <class R, class Lock = std::mutex>
class synchronized {
  static_assert(resource<R>);

 public:
  static constexpr std::size_t min_alignment = resource_traits<R>::min_alignment;
  static constexpr bool is_thread_safe = true;

  /// Effects: constructs the resource from the arguments.
  template <class... Arguments>
    requires std::constructible_from<R, Arguments...>
  explicit(sizeof...(Arguments) == 1) synchronized(Arguments&&... arguments)
      : resource_(std::forward<Arguments>(arguments)...) {}

  synchronized(const synchronized&) = delete;
  synchronized& operator=(const synchronized&) = delete;
  ~synchronized() = default;

  /**
   * Effects: calls `f(r)` with the resource while the lock is held, so that several operations
   * appear to other threads as one.
   * Requires: `f` does not call this object.
   * Returns: what `f` returns, which must not refer into the resource.
   *
   * ```cpp
   * const bool is_sound = shared.with_lock([](const auto& r) { return r.check() == 0; });
   * ```
   */
  template <std::invocable<R&> F>
  decltype(auto) with_lock(F&& f) {
    const std::lock_guard guard(lock_);
    return std::forward<F>(f)(resource_);
  }

  /// The same for a resource that is only looked at.
  template <std::invocable<const R&> F>
  decltype(auto) with_lock(F&& f) const {
    const std::lock_guard guard(lock_);
    return std::forward<F>(f)(resource_);
  }

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    return with_lock([&](R& r) { return r.allocate(bytes, align); });
  }

  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    return with_lock([&](R& r) { return r.try_allocate(bytes, align); });
  }

  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    with_lock([&](R& r) { r.deallocate(p, bytes, align); });
  }

  void deallocate(void* p) noexcept
    requires requires(R& r) { r.deallocate(p); }
  {
    with_lock([&](R& r) { r.deallocate(p); });
  }

  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept
    requires expanding_resource<R>
  {
    return with_lock([&](R& r) { return r.try_expand(p, old_bytes, new_bytes, align); });
  }

  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = default_align)
    requires reallocating_resource<R>
  {
    return with_lock([&](R& r) { return r.reallocate(p, old_bytes, new_bytes, align); });
  }

  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes, std::size_t align = default_align)
    requires generous_resource<R>
  {
    return with_lock([&](R& r) { return r.allocate_at_least(bytes, align); });
  }

  [[nodiscard]] bool owns(const void* p) const noexcept
    requires owning_resource<R>
  {
    return with_lock([&](const R& r) { return r.owns(p); });
  }

  void release() noexcept
    requires releasing_resource<R>
  {
    with_lock([](R& r) { r.release(); });
  }

  void reset() noexcept
    requires resettable_resource<R>
  {
    with_lock([](R& r) { r.reset(); });
  }

  [[nodiscard]] auto stats() const
    requires measured_resource<R>
  {
    return with_lock([](const R& r) { return r.stats(); });
  }

  [[nodiscard]] auto survey() const
    requires requires(const R& r) { r.survey(); }
  {
    return with_lock([](const R& r) { return r.survey(); });
  }

  bool init(void* buffer, std::size_t bytes) noexcept
    requires requires(R& r) { r.init(buffer, bytes); }
  {
    return with_lock([&](R& r) { return r.init(buffer, bytes); });
  }

  bool add_memory(void* buffer, std::size_t bytes) noexcept
    requires requires(R& r) { r.add_memory(buffer, bytes); }
  {
    return with_lock([&](R& r) { return r.add_memory(buffer, bytes); });
  }

  [[nodiscard]] std::size_t usable_size(const void* p) const noexcept
    requires requires(const R& r) { r.usable_size(p); }
  {
    return with_lock([&](const R& r) { return r.usable_size(p); });
  }

  std::size_t defragment() noexcept
    requires requires(R& r) { r.defragment(); }
  {
    return with_lock([](R& r) { return r.defragment(); });
  }

  /// Requires: `visit` does not call this object.
  template <class Visit>
    requires requires(const R& r, Visit&& visit) { r.for_each_block(std::forward<Visit>(visit)); }
  void for_each_block(Visit&& visit) const {
    with_lock([&](const R& r) { r.for_each_block(std::forward<Visit>(visit)); });
  }

  [[nodiscard]] auto check() const noexcept
    requires requires(const R& r) { r.check(); }
  {
    return with_lock([](const R& r) { return r.check(); });
  }

  /// Equal when a block of one may be deallocated through the other.
  friend bool operator==(const synchronized& a, const synchronized& b) noexcept
    requires std::equality_comparable<R>
  {
    return &a == &b || a.equals(b);
  }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  bool equals(const synchronized& other) const noexcept {
    const std::scoped_lock guard(lock_, other.lock_);
    return resource_ == other.resource_;
  }

  mutable Lock lock_;
  R resource_;
};

class region;
/// A region behind one lock; region.hpp has the rest of it.
using synchronized_region = synchronized<region>;

}  // namespace heapsmith
