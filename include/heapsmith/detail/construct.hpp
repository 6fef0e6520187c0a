// Makes an object from arguments, an aggregate too.
#pragma once

#include <new>
#include <type_traits>
#include <utility>

namespace heapsmith::detail {

/// Returns: T(arguments...), or T{arguments...} for an aggregate if the compiler does not take
/// parentheses there (P0960: GCC 10 and Clang 16 do).
template <class T, class... Arguments>
[[gnu::always_inline]] inline T made(Arguments&&... arguments) {
  if constexpr (std::is_constructible_v<T, Arguments...>)
    return T(std::forward<Arguments>(arguments)...);
  else
    return T{std::forward<Arguments>(arguments)...};
}

/// Effects: constructs made<T>(arguments...) at `at`.
template <class T, class... Arguments>
[[gnu::always_inline]] inline void make_at(void* at, Arguments&&... arguments) {
  if constexpr (std::is_constructible_v<T, Arguments...>)
    ::new (at) T(std::forward<Arguments>(arguments)...);
  else
    ::new (at) T{std::forward<Arguments>(arguments)...};
}

}  // namespace heapsmith::detail
