// The one header that names atomics; the model checker builds the library's protocols over its own.
#pragma once

#include <atomic>

namespace heapsmith {

template <class T>
using atomic = std::atomic<T>;

using memory_order = std::memory_order;
inline constexpr memory_order relaxed = std::memory_order_relaxed;
inline constexpr memory_order acquire = std::memory_order_acquire;
inline constexpr memory_order release = std::memory_order_release;
inline constexpr memory_order acq_rel = std::memory_order_acq_rel;

}  // namespace heapsmith
