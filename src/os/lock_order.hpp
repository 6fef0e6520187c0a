// The order in which locks are taken, and in debug builds the check that they are.
#pragma once

#include <cstdint>

#include "heapsmith/detail/check.hpp"

namespace heapsmith::os {

/// A thread that holds a lock may only take one of a later rank.
enum class lock_rank : std::uint8_t { shared_heap, orphans, heaps, direct_maps, spans, test };

#if defined(HEAPSMITH_DEBUG)
/// One bit for each rank this thread holds.
inline thread_local constinit std::uint8_t held_ranks = 0;

inline void note_taken(lock_rank rank) {
  const auto bit = static_cast<std::uint8_t>(1u << static_cast<unsigned>(rank));
  HS_ASSERT(held_ranks < bit);
  held_ranks |= bit;
}

inline void note_released(lock_rank rank) {
  held_ranks &= static_cast<std::uint8_t>(~(1u << static_cast<unsigned>(rank)));
}
#else
inline void note_taken(lock_rank /*rank*/) {}
inline void note_released(lock_rank /*rank*/) {}
#endif

}  // namespace heapsmith::os
