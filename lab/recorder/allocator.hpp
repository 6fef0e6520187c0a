// The functions that the recorder is put before in a running process: the allocator's, the one that
// starts threads, and those of the linker that tell of new files.
#pragma once

#include <cstdint>
#include <span>

#include "image.hpp"

namespace heapsmith::recorder {

/// A function of the process, and the recorder's that is called in its place.
struct function {
  const char* name;
  bool makes;                // and ends nothing
  std::uintptr_t next, own;  // 0: not defined
};

/// Effects: finds the allocator's functions that the process has, once, and makes them those that
/// the recorder passes calls on to. Returns: whether there are any, and they are not the recorder's
/// own. Requires: no other thread calls it.
bool find_allocator();

/// Returns: all functions, those that end blocks first.
std::span<function> all_functions();

/// Returns: one of them. Requires: there is one of this name.
function& function_named(const char* name);

/// Returns: a function that the allocator's file defines, or null. Requires: find_allocator().
void* find_beside_allocator(const char* name);

/// Returns: whether this is the recorder's own file.
bool is_recorder(const image& file);

}  // namespace heapsmith::recorder
