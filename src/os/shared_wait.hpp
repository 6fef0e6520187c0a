// Waiting on a word of memory that several processes map.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace heapsmith::os {

/// Sleeps until the word is woken, for `ms` at most. Returns at once if it is not `expected`, and
/// may return early. Is no point at which a thread is cancelled.
void wait_shared(const atomic<std::uint32_t>& word, std::uint32_t expected, std::uint32_t ms);
/// Wakes at most `count` threads, of any process.
void wake_shared(const atomic<std::uint32_t>& word, int count);

}  // namespace heapsmith::os
