// The one header that names atomics; the model checker builds the library's protocols over its own.
#pragma once

#include <atomic>
#include <type_traits>

namespace heapsmith {

template <class T>
using atomic = std::atomic<T>;

/// A plain object for one atomic access among plain ones.
template <class T>
using atomic_ref = std::atomic_ref<T>;

/// A plain object that crosses threads. The model checker watches each access to it.
template <class T>
using plain = T;

using memory_order = std::memory_order;
inline constexpr memory_order relaxed = std::memory_order_relaxed;
inline constexpr memory_order acquire = std::memory_order_acquire;
inline constexpr memory_order release = std::memory_order_release;
inline constexpr memory_order acq_rel = std::memory_order_acq_rel;

/// `n < bound.load(relaxed)`; on x86-64 in one instruction: GCC loads an atomic into a register
/// before it compares. Unlike a load, it may be hoisted out of a loop, so nothing may wait on it.
template <class T>
[[gnu::always_inline]] inline bool is_below(std::type_identity_t<T> n, const atomic<T>& bound) {
#if defined(__x86_64__)
  bool below;
  asm("cmp %[bound], %[n]" : "=@ccb"(below) : [n] "r"(n), [bound] "m"(bound));
  return below;
#else
  return n < bound.load(relaxed);
#endif
}

}  // namespace heapsmith
