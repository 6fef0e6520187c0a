// A mutex for variables that live as long as the process.
#pragma once

#if defined(_WIN32)
#include "heapsmith/detail/windows.hpp"
#else
#include <mutex>
#endif

namespace heapsmith::detail {

#if defined(_WIN32)

/// Has a constant initialiser and no destructor, so that code that runs before main() or after it
/// may lock it. The std::mutex of MinGW has neither property.
class static_mutex {
 public:
  constexpr static_mutex() noexcept = default;
  static_mutex(const static_mutex&) = delete;
  static_mutex& operator=(const static_mutex&) = delete;

  void lock() noexcept { AcquireSRWLockExclusive(native()); }
  void unlock() noexcept { ReleaseSRWLockExclusive(native()); }

 private:
  /// An SRWLOCK is one pointer, and SRWLOCK_INIT is null.
  _RTL_SRWLOCK* native() noexcept { return reinterpret_cast<_RTL_SRWLOCK*>(&word_); }

  void* word_ = nullptr;
};

#else

/// Libstdc++'s std::mutex has a constant initialiser and no destructor.
using static_mutex = std::mutex;

#endif

}  // namespace heapsmith::detail
