// Facts about the calling thread that need no call. Linux.
#pragma once

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define HS_HAS_SINGLE_THREADED 1
#endif

#include <cstdint>

#include "base/atomic.hpp"
#include "base/hidden.hpp"

namespace heapsmith::os {

/// True while the process has one thread, as far as the C library tells. musl does not: it counts
/// as having several, which costs an atomic exchange in locks.
[[gnu::always_inline]] inline bool single_threaded() {
#ifdef HS_HAS_SINGLE_THREADED
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

/// Whether a thread of the library's own exists; see own_thread.hpp. relaxed: it is
/// written by the thread that forks, or before the thread starts, which orders it.
inline constinit atomic<bool> own_thread_exists{false};

/// True while no other thread can be in the heap, the library's own one included. A thread that
/// finds it true alone makes it false.
[[gnu::always_inline]] inline bool is_alone() {
  return single_threaded() && !own_thread_exists.load(relaxed);
}

/// The number of this thread; 0: none yet.
inline thread_local constinit std::uint32_t given_thread_number = 0;
HS_HIDDEN std::uint32_t give_thread_number();

/// A number of 31 bits, not 0, that no other live thread of the process has.
[[gnu::always_inline]] inline std::uint32_t thread_number() {
  const std::uint32_t number = given_thread_number;
  return number != 0 ? number : give_thread_number();
}

}  // namespace heapsmith::os
