// Decorators: a resource with one more property. synchronized<R> is here; counting, limiting,
// logging and fallback have headers of their own.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <mutex>
#include <utility>

#include "heapsmith/counting.hpp"
#include "heapsmith/decorator.hpp"
#include "heapsmith/fallback.hpp"
#include "heapsmith/limiting.hpp"
#include "heapsmith/logging.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * Owns a resource, and protects it with a lock so that many threads may use it.
 *
 * Every operation takes the lock, calls `R`, and releases the lock. So it serves one thread at a
 * time, and a thread that is interrupted while it has the lock keeps the others waiting. If many
 * threads allocate small blocks from a region, use `concurrent_region`, which rarely takes a lock.
 *
 * # Requires
 * `R` is a resource. `Lock` is Lockable and default-constructible. Code that `R` calls (its
 * upstream, a new_handler, a visitor of blocks) does not use this object.
 *
 * # Operations
 * Those of `R`: the operations of a resource, and these operations of a region: init, add_memory,
 * deallocate(p), usable_size, defragment, survey, for_each_block, check. Use with_lock() for
 * others.
 *
 * Errors and complexity: those of `R`. If `R` moves a block, it copies it under the lock.
 * Thread safety: any thread; a block may be deallocated by another thread. Construction and
 * destruction need exclusive access. After fork, std::mutex limits what the child may do.
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
class synchronized : public decorator<synchronized<R, Lock>, R> {
  static_assert(resource<R>);
  using base_class = decorator<synchronized<R, Lock>, R>;
  friend base_class;
  using base_class::resource_;

 public:
  static constexpr bool is_thread_safe = true;

  /// Effects: constructs the resource from the arguments.
  using base_class::base_class;

  /// Use with_lock().
  R& base() = delete;

  /**
   * Effects: calls `f(r)` with the resource while the lock is held, so that other threads see
   * several operations as one.
   * Requires: `f` does not use this object. Its result does not refer into the resource.
   * Returns: the result of `f`.
   *
   * ```cpp
   * const bool is_sound = shared.with_lock([](const auto& r) { return r.check() == 0; });
   * ```
   */
  template <std::invocable<R&> F>
  decltype(auto) with_lock(F&& f) {
    const auto guard = enter();
    return std::forward<F>(f)(resource_);
  }

  template <std::invocable<const R&> F>
  decltype(auto) with_lock(F&& f) const {
    const auto guard = enter();
    return std::forward<F>(f)(resource_);
  }

  using base_class::deallocate;
  void deallocate(void* p) noexcept
    requires requires(R& r) { r.deallocate(p); }
  {
    with_lock([&](R& r) { r.deallocate(p); });
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

  /// Requires: `visit` does not use this object.
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

  /// Equal if a block of one may be deallocated through the other.
  friend bool operator==(const synchronized& a, const synchronized& b) noexcept
    requires std::equality_comparable<R>
  {
    return &a == &b || a.equals(b);
  }

 private:
  std::lock_guard<Lock> enter() const { return std::lock_guard<Lock>(lock_); }

  bool equals(const synchronized& other) const noexcept {
    const std::scoped_lock guard(lock_, other.lock_);
    return resource_ == other.resource_;
  }

  mutable Lock lock_;
};

struct fine_bins;
template <class>
class basic_region;
using region = basic_region<fine_bins>;
/// A region behind one lock. Needs region.hpp.
using synchronized_region = synchronized<region>;

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
