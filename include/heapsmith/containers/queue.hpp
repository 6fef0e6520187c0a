// A queue in a pool of any kind: a ring where the pool is fixed.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <utility>

#include "heapsmith/detail/containers/sequence.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace heapsmith {

/**
 * First in, first out, in the slots of one pool: deque_pool, fixed_deque_pool, soa_deque_pool, …
 *
 * In a fixed pool the slots form a ring: any number of values may pass through, at most `capacity`
 * at a time. A growable pool that reaches its end moves its values to the middle of its memory if
 * half of it is free, and doubles otherwise. In pieces (policy::stable) no value moves, and the
 * piece left behind is the next one used.
 *
 * # Operations
 * push, try_push, pop, front, back, size, empty, clear; iteration from the front to the back;
 * clone, save and load for trivially copyable values; check.
 *
 * Errors: those of the pool. Aborts if an empty queue is popped. Constructors and destructors of
 * values may push values, as those of rows of a deque pool may add rows.
 * Complexity: constant, amortised if the pool is growable. A fixed pool allocates once.
 * Thread safety: that of a standard container.
 *
 * ```cpp
 * heapsmith::queue<event, heapsmith::fixed_deque_pool> events(64);
 * if (!events.try_push(e)) drop(e);
 * ```
 */
template <class T, template <class, class...> class Pool = deque_pool, class... Policies>
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

  /// Returns: the oldest value, or the newest. Requires: the queue is not empty.
  [[nodiscard]] typename base::reference front() noexcept {
    return this->pool_[this->pool_.begin_index()];
  }
  [[nodiscard]] typename base::const_reference front() const noexcept {
    return this->pool_[this->pool_.begin_index()];
  }
  [[nodiscard]] typename base::reference back() noexcept { return this->pool_[last()]; }
  [[nodiscard]] typename base::const_reference back() const noexcept { return this->pool_[last()]; }

  /// Effects: ends the oldest value. Aborts if the queue is empty.
  void pop() noexcept { this->pool_.pop_front(); }

 private:
  [[nodiscard]] auto last() const noexcept {
    return static_cast<typename base::pool_type::index_type>(this->pool_.end_index() - 1);
  }
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
