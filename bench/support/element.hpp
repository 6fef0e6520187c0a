// What pools and containers hold: a key, and a payload that is one member.
#pragma once

#include <array>
#include <cstddef>

namespace bench {

template <std::size_t P>
struct payload {
  std::array<double, P> values;
};

template <std::size_t P>
struct element {
  int key;
  std::array<double, P> values;
};

/// The element of a number: pushes differ in their key and in the first double.
template <class Element>
inline void number(Element& e, std::size_t i) {
  e.key = static_cast<int>(i);
  e.values[0] = static_cast<double>(i) * 0.5;
}

/// Reads an element or a row of references to its fields.
template <class Row>
inline double sum_of(Row&& row) {
  auto&& [key, values] = row;
  return key + values[0];
}

/// The sum of the keys of all elements, read one after another.
template <class Elements>
long keys_of(const Elements& all) {
  long sum = 0;
  for (const auto& e : all) sum += e.key;
  return sum;
}

/// The sum of sum_of over the elements 1 to `n`. Exact: all partial sums are multiples of 0.5.
inline double sum_up_to(std::size_t n) {
  return 0.75 * static_cast<double>(n) * static_cast<double>(n + 1);
}

}  // namespace bench
