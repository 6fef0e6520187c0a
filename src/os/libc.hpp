// What regions take from libc: two functions, and the numbers of errors.
//
// A free-standing program (-ffreestanding) has no other part of libc. It supplies memcpy and
// memset, which compilers presuppose anyway. There is no errno, and the numbers are those of Linux.
#pragma once

#include <cstddef>

#if __STDC_HOSTED__
#include <errno.h>
#include <string.h>
#else
extern "C" {
void* memcpy(void* to, const void* from, std::size_t bytes);
void* memset(void* at, int value, std::size_t bytes);
}
enum error_number : int { ENOMEM = 12, EBUSY = 16, EINVAL = 22, ENOSPC = 28, ENOBUFS = 105 };
#endif

namespace heapsmith::os {

/// Says why a call that returns no error number has failed.
inline void set_error([[maybe_unused]] int error) {
#if __STDC_HOSTED__
  errno = error;
#endif
}

/// Copies to lower addresses. The memory may overlap, but `from` lies at least a word above `to`.
inline void copy_down(void* to, const void* from, std::size_t bytes) {
#if __STDC_HOSTED__
  memmove(to, from, bytes);
#else
  auto* const low = static_cast<unsigned char*>(to);
  const auto* const high = static_cast<const unsigned char*>(from);
  const auto gap = static_cast<std::size_t>(high - low);
  for (std::size_t at = 0; at < bytes; at += gap)
    memcpy(low + at, high + at, bytes - at < gap ? bytes - at : gap);
#endif
}

}  // namespace heapsmith::os
