// Which files are mapped where, so that callers can be named after the program has ended.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith::recorder {

/// Memory in place of a file, for a process that can make none.
struct maps_room {
  unsigned char* at;  // null: a file
  std::size_t bytes, used;
};

/// Effects: appends /proc/self/maps to FILE.maps, or to the memory `room`, behind a line "tick N".
/// A line "stamp FROM BYTES SECONDS NANOSECONDS" follows each mapping with code of a file: the
/// size of the file, and when it was changed. A list of another root has no stamps.
void note_all_modules(const char* file, maps_room& room, std::uint64_t tick);

/// Returns: whether code at this address was mapped when the modules were noted last, or whether
/// they will not be noted again. Complexity: linear in the ranges of code, at most most_ranges.
bool is_in_noted_module(std::uintptr_t address);

}  // namespace heapsmith::recorder
