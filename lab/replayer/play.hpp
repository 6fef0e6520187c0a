// Plays the calls of one thread.
#pragma once

#include <cstdint>

#include "stage.hpp"

namespace heapsmith::replayer {

/// Effects: makes the first `calls` calls of a thread, which allocate. They are not measured.
void prepare(player& who, std::uint64_t calls);

/// Effects: makes all calls of a thread, and waits for the others if it stays.
void play(player& who);

}  // namespace heapsmith::replayer
