// A stack in a pool of any kind.
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
 * Last in, first out, in the slots of one pool: deque_pool, fixed_deque_pool, soa_deque_pool, …
 *
 * # Operations
 * push, try_push, pop, top, size, empty, clear; iteration from the bottom to the top; clone, save
 * and load for trivially copyable values; check. In a pool in columns, references are rows of
 * references to the fields.
 *
 * Errors: those of the pool. Aborts if an empty stack is popped, or if a destructor pushes a value
 * during pop. Constructors of values may push values.
 * Complexity: constant, amortised if the pool is growable. A fixed pool allocates once.
 * Thread safety: that of a standard container.
 *
 * ```cpp
 * heapsmith::stack<frame, heapsmith::fixed_deque_pool> frames(1000);
 * frames.push(state, depth);
 * ```
 */
template <class T, template <class, class...> class Pool = deque_pool, class... Policies>
class stack
    : public detail::sequence<
          stack<T, Pool, Policies...>,
          Pool<T, Policies..., policy::no_reuse, policy::one_ended, policy::keep_capacity>> {
  using base = detail::sequence<
      stack, Pool<T, Policies..., policy::no_reuse, policy::one_ended, policy::keep_capacity>>;

 public:
  template <class... Arguments>
    requires std::constructible_from<typename base::pool_type, Arguments...>
  explicit stack(Arguments&&... arguments) : base(std::forward<Arguments>(arguments)...) {}

  /// Returns: the newest value. Requires: the stack is not empty.
  [[nodiscard]] typename base::reference top() noexcept { return this->pool_[last()]; }
  [[nodiscard]] typename base::const_reference top() const noexcept { return this->pool_[last()]; }

  /// Effects: ends the newest value. Aborts if the stack is empty.
  void pop() noexcept { this->pool_.pop_back(); }

 private:
  [[nodiscard]] auto last() const noexcept {
    return static_cast<typename base::pool_type::index_type>(this->pool_.end_index() - 1);
  }
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
