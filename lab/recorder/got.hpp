// The loaded files' entries in their global offset tables through which they call the allocator.
#pragma once

namespace heapsmith::recorder {

/// Effects: has the loaded files call the recorder, and those that the program loads later once it
/// calls dlopen or dlsym again. An entry that leads to another function than the allocator's is
/// left. Returns: how many entries were changed. Requires: find_allocator() has returned true.
unsigned redirect_calls();

/// Effects: undoes redirect_calls(). Other threads may be in the recorder's functions until they
/// return.
void restore_calls();

}  // namespace heapsmith::recorder
