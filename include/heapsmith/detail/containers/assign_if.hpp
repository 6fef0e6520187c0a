// Conditional assignments without a branch.
#pragma once

#include <concepts>

namespace heapsmith::detail {

/// Effects: assigns `new_a` to `a` and `new_b` to `b` if the condition holds. For conditions that
/// processors cannot predict: compilers may turn `?:` and arithmetic into a branch, but they keep a
/// conditional move.
template <std::unsigned_integral Number>
[[gnu::always_inline]] inline void assign_if(bool condition, Number& a, Number new_a, Number& b,
                                             Number new_b) noexcept {
#ifdef __x86_64__
  if constexpr (sizeof(Number) >= 4) {
    // In {a|b}, a is the assembler's default syntax and b is Intel's.
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
