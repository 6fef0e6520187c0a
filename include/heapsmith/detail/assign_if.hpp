// Conditional assignments without a branch.
#pragma once

#include <concepts>

namespace heapsmith::detail {

/// Effects: if the condition holds, which no processor can guess, `a` becomes `new_a` and `b`
/// becomes `new_b`. Compilers turn `?:`, and arithmetic instead of it, into a branch as they see
/// fit; a conditional move they keep.
template <std::unsigned_integral Number>
[[gnu::always_inline]] inline void assign_if(bool condition, Number& a, Number new_a, Number& b,
                                             Number new_b) noexcept {
#ifdef __x86_64__
  if constexpr (sizeof(Number) >= 4) {
    asm("test %[condition], %[condition]\n\tcmovnz %[new_a], %[a]\n\tcmovnz %[new_b], %[b]"
        : [a] "+&r"(a), [b] "+&r"(b)
        : [condition] "q"(condition), [new_a] "r"(new_a), [new_b] "r"(new_b)
        : "cc");
    return;
  }
#endif
  const auto mask = static_cast<Number>(-static_cast<Number>(condition));
  a = static_cast<Number>(a ^ ((a ^ new_a) & mask));
  b = static_cast<Number>(b ^ ((b ^ new_b) & mask));
}

}  // namespace heapsmith::detail
