// A queue in a pool of any kind: a ring where the pool is fixed.
#pragma once

#include <concepts>
#include <utility>

#include "heapsmith/detail/containers/sequence.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace heapsmith {

/**
 * First in, first out, in the slots of one pool: pool_fixed, soa_growable, …
 *
 * In a fixed pool the slots form a ring: any number of values may pass through, and no more than
 * its capacity at a time. A growable one moves what it holds to the middle of its memory when the
 * end is reached and half of it is free, and doubles otherwise; in pieces (policy::stable) nothing
 * moves, and the piece left behind is the next one used.
 *
 * # Operations
 * push, try_push, pop, front, back, size, empty, clear; iteration from the front to the back;
 * clone, save and load for values that are plain memory; check.
 *
 * Errors: those of the pool. `pop` of an empty queue stops the process.
 * Complexity: constant, amortised where the pool is growable. A fixed one allocates once.
 * Thread safety: that of a standard container.
 *
 * ```cpp
 * heapsmith::queue<event, heapsmith::pool_fixed> events(64);
 * if (!events.try_push(e)) drop(e);
 * ```
 */
template <class T, template <class, class...> class Pool = pool_growable, class... Policies>
class queue : public detail::sequence<
                  queue<T, Pool, Policies...>,
                  Pool<T, Policies..., policy::no_reuse, policy::ring, policy::keep_capacity>> {
  using base =
      detail::sequence<queue,
                       Pool<T, Policies..., policy::no_reuse, policy::ring, policy::keep_capacity>>;

 public:
  template <class... Arguments>
    requires std::constructible_from<typename base::pool_type, Arguments...>
  explicit queue(Arguments&&... arguments) : base(std::forward<Arguments>(arguments)...) {}

  /// Requires: the queue is not empty.
  [[nodiscard]] typename base::reference front() noexcept {
    return this->pool_[this->pool_.begin_index()];
  }
  [[nodiscard]] typename base::const_reference front() const noexcept {
    return this->pool_[this->pool_.begin_index()];
  }
  [[nodiscard]] typename base::reference back() noexcept { return this->pool_[last()]; }
  [[nodiscard]] typename base::const_reference back() const noexcept { return this->pool_[last()]; }

  void pop() noexcept { this->pool_.deallocate_begin(); }

 private:
  [[nodiscard]] auto last() const noexcept {
    return static_cast<typename base::pool_type::index_type>(this->pool_.end_index() - 1);
  }
};

}  // namespace heapsmith
