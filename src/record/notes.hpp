// Notes on processes that may have no file, in the header of the process that made them.
#pragma once

#include "record/format.hpp"

namespace heapsmith::recorder {

/// Effects: notes in the file behind `h` that the process `pid` becomes `program`. Returns: the
/// note, or null if `h` is null or has no place.
process_note* note_process(file_header* h, lack why, std::uint32_t pid, std::uint32_t error,
                           const char* program);

/// Effects: takes a note back: the program could not be started.
void forget_note(process_note* note);

}  // namespace heapsmith::recorder
