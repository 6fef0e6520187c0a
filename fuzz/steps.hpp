// One run: steps read from a tape, done to the heap and to the model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith::fuzz {

/// Ends with all blocks freed and the heap's figures checked. Stops the process when the heap errs.
void run(const std::uint8_t* bytes, std::size_t length);

}  // namespace heapsmith::fuzz
