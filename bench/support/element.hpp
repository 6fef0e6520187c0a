// The elements of pools and containers: a key, and a payload that is one member.
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

template <std::size_t P>
inline void number(payload<P>& value, std::size_t i) {
  if constexpr (P != 0) value.values[0] = static_cast<double>(i);
}

/// The elements of 1, 2, 3… in memory, each written a few turns before it is taken. A compiler that
/// sees an element written and copied makes the copy of constants in some containers, and not in
/// others; and a copy right after the write waits for the write.
template <class Element>
class numbered {
 public:
  numbered() {
    for (std::size_t i = 1; i <= ahead; ++i) number(ring_[i], i);
  }
  const Element& next() {
    const std::size_t i = next_++;
    number(ring_[(i + ahead) % size], i + ahead);
    asm volatile("" : "+m"(ring_));
    return ring_[i % size];
  }

 private:
  static constexpr std::size_t size = 8, ahead = 4;
  Element ring_[size] = {};
  std::size_t next_ = 1;
};

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
