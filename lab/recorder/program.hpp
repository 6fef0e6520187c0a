// Whether a program will load the recorder.
#pragma once

#include "record/format.hpp"

namespace heapsmith::recorder {

/// Returns: why the program `path` will not load the recorder, or lack::unknown. `searched` says
/// that a name without a slash is looked for in PATH. Allocates nothing.
lack lack_of_program(const char* path, bool searched);

/// The same of an open file. `scripts`: so many led to it, each as the interpreter of the last.
lack lack_of_file(int fd, unsigned scripts = 0);

}  // namespace heapsmith::recorder
