// Starts the threads of a replay, and waits for their ends.
#pragma once

#include <cstdint>

#include "stage.hpp"

namespace heapsmith::replayer {

/// Effects: starts the thread of this number: `body` gets its player. Ends the process, with a line
/// that says so, if the machine has no thread left.
void start_thread(stage& s, std::uint64_t number, void* (*body)(void*));

/// Effects: waits for the end of a thread, with what its allocator does then. Returns: the counts
/// of the clock that it waited.
std::uint64_t join_thread(stage& s, std::uint64_t number);

/// Effects: waits until the threads that nobody has waited for have ended. Complexity: linear in
/// the threads.
void join_rest(stage& s);

}  // namespace heapsmith::replayer
