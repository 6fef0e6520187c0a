// Arenas of jemalloc: number 0 is the process's heap, and those that a program creates are
// first-class heaps.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "threads/sub_heaps.hpp"

namespace heapsmith::jemalloc {

/// The flags of mallocx have room for the numbers below.
inline constexpr unsigned arenas_end = 4095;

/// In names of mallctl: all arenas together. count_arenas() means the same, for old programs.
inline constexpr unsigned all_arenas = 4096;
inline constexpr unsigned no_arena = ~0u;

/// Complexity: at most arenas_end steps.
/// Returns: the number of a new arena; 0: out of memory, or of numbers.
unsigned create_arena();

/// The heap of a created arena; null for all other numbers. The arena may not end meanwhile.
first_class_heap* heap_of_arena(unsigned n);

/// The number of the created arena with this account, 0 for all others. Complexity: a step for
/// each arena.
unsigned arena_with(const spans::account* account);

/// The time that the program has set for a created arena, or that of the process when the arena was
/// created.
atomic<ssize_t>& dirty_time_of(unsigned n);

/// Ends the arena with its blocks. False: there is no such arena.
bool destroy_arena(unsigned n);

/// One more than the highest number that an arena has ever had.
unsigned count_arenas();

/// The arena that a number in a name means: 0, a created one, all_arenas or no_arena.
unsigned arena_named(std::size_t number);

}  // namespace heapsmith::jemalloc
