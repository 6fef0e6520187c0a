// How reports name the process.
#pragma once

#include <unistd.h>

#include <string_view>

#include "base/parse.hpp"
#include "os/diagnose.hpp"
#include "os/os.hpp"

namespace heapsmith::watch {

/// The file name with which the program was started.
inline std::string_view program_name() {
  const std::string_view path = os::program_path();
  return part(path, path.rfind('/') + 1);  // without a slash, npos + 1 is 0
}

inline os::text& add_process(os::text& out) {
  return out.add(program_name()).add(", process ").add_number(static_cast<unsigned>(getpid()));
}

}  // namespace heapsmith::watch
