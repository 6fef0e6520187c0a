// The environment that a program gets: with the recorder in it.
#pragma once

#include <cstddef>

namespace heapsmith::recorder {

enum class preload {
  is_kept,      // the environment preloads the recorder
  was_cleared,  // nothing of it is there
  is_other,     // other libraries are preloaded in its place
  was_removed,  // LD_PRELOAD alone was taken out, on purpose
  is_no_list,   // too large to copy, or nothing is recorded
};

/// Effects: at load: learns what the environment of a recorded program has.
void learn_environment();

preload look_at(char* const* environment);

/// Whether the recorder's library can be read at its path, now.
bool is_library_there();

/// An environment with the recorder. It lies on the stack of the caller, as this may be a process
/// that has all memory in common with another one.
inline constexpr std::size_t most_entries = 1024;
struct new_environment {
  char* entries[most_entries + 3];
  char preloads[4096];
};

/// Effects: copies the environment, with the recorder added.
void add_recorder(char* const* from, new_environment& to);

/// Effects: copies the environment without the recorder. Other libraries stay preloaded.
void remove_recorder(char* const* from, new_environment& to);

}  // namespace heapsmith::recorder
