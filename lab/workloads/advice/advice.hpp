// Shared by the demonstrations of `heapsmith advise`: their options, and blocks that stay blocks.
#pragma once

#include <type_traits>

#include "../workload.hpp"

namespace lab::advice {

// A source makes two programs. The advice is right for the first one. The second one, the
// counterpart, does nearly the same work, but the advice would be wrong.
inline constexpr bool is_counterpart = HS_COUNTERPART != 0;

// Hides where a pointer comes from. A compiler that knows it leaves out malloc and free.
template <class T>
T* hidden(T* block) {
  if (block == nullptr) fail("malloc returned no block");
  asm volatile("" : "+r"(block) : : "memory");
  return block;
}

// The main function of a source with two programs. It calls work(advised, amount at the scale),
// where `advised` is std::true_type if the program shall follow the advice. Counterparts do not
// have that option.
template <class Work>
int demonstrate(int argc, char** argv, double amount, Work work) {
  own_option advised{"--advised", 1};
  const options chosen = parse_options(argc, argv, {}, is_counterpart ? nullptr : &advised);
  if (chosen.threads != 1) fail("this program works with one thread");
  if constexpr (!is_counterpart) {
    if (advised.value != 0) return finish(work(std::true_type(), chosen.scaled(amount)));
  }
  return finish(work(std::false_type(), chosen.scaled(amount)));
}

}  // namespace lab::advice
