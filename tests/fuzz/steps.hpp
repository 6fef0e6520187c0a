// One run: steps that are read from a tape and taken on the heap and the model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith::fuzz {

/// Takes all steps of the tape, frees all blocks and checks the heap's statistics. Aborts the
/// process if the heap does something wrong.
void run(const std::uint8_t* bytes, std::size_t length);

}  // namespace heapsmith::fuzz
