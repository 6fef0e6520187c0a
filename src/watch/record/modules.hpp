// Which files are mapped where, so that callers can be named after the program has ended.
#pragma once

#include <cstdint>

namespace heapsmith::recorder {

/// Effects: appends /proc/self/maps to FILE.maps, behind a line "tick N".
void note_all_modules(const char* file, std::uint64_t tick);

/// Returns: whether code at this address was mapped when the modules were noted last, or whether
/// they will not be noted again. Complexity: linear in the ranges of code, at most most_ranges.
bool is_in_noted_module(std::uintptr_t address);

}  // namespace heapsmith::recorder
