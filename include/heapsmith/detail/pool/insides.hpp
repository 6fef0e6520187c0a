// The inside of a pool, for the containers that have one.
#pragma once

#include <type_traits>

namespace heapsmith::detail {

struct pool_insides {
  /// Returns: a pool of the same upstream without rows, and with the same capacity if it is fixed.
  template <class Pool>
  [[nodiscard]] static Pool empty_copy(const Pool& pool) {
    return Pool(pool.books_.slots.source(), Pool::policy_type::is_fixed ? pool.capacity() : 0);
  }

  /// Returns: the slot where the nodes of a container begin. The pool has it, because no code of
  /// the user may follow it while the pool moves its rows.
  [[nodiscard, gnu::always_inline]] static auto& root(auto& pool) noexcept {
    return pool.books_.root;
  }

  /// Effects: aborts if constructors or destructors of rows are running.
  static void require_idle(auto& pool, const char* verb) noexcept { pool.books_.idle(verb); }

  /// Returns: an object, during whose life the pool aborts where it would move its rows or end all
  /// of them: the caller assigns to one.
  template <class Pool>
  [[nodiscard]] static auto pin(Pool& pool) noexcept {
    return typename Pool::books_type::pin(pool.books_);
  }
};

}  // namespace heapsmith::detail
