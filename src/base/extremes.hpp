// The smaller and the larger of two values. <algorithm> is not part of a free-standing C++ library.
#pragma once

namespace heapsmith {

template <class T>
constexpr T smaller_of(T a, T b) {
  return b < a ? b : a;
}

template <class T>
constexpr T larger_of(T a, T b) {
  return a < b ? b : a;
}

}  // namespace heapsmith
