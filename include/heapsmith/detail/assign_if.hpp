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
    // Of {a|b}, a is for the assembler's usual syntax and b for Intel's.
    asm("test %[condition], %[condition]\n\t"
        "cmovnz {%[new_a], %[a]|%[a], %[new_a]}\n\t"
        "cmovnz {%[new_b], %[b]|%[b], %[new_b]}"
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
