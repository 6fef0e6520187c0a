// std::addressof without the 35,000 lines of <memory>.
#pragma once

namespace heapsmith::detail {

/// Returns: the address of `object`, whether or not its class overloads operator&.
template <class T>
[[gnu::always_inline]] constexpr T* address_of(T& object) noexcept {
  return __builtin_addressof(object);
}

}  // namespace heapsmith::detail
