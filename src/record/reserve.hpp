// Blocks of the file that are mapped ahead, for a process that cannot open its file any more.
#pragma once

#include <cstdint>

#include "record/confine.hpp"
#include "record/format.hpp"

namespace heapsmith::recorder {

/// Effects: maps blocks of the file behind `h` ahead, and reserves the bytes of a file that will be
/// behind a filter. `fd` is the file, or -1 if it cannot be opened. Returns: whether there are any.
bool make_reserve(file_header& h, int fd, confinement to);

/// Effects: the same for a segment of the pool, which has room for `blocks` blocks.
void use_segment(std::uint32_t blocks);

/// Returns: the next block of the reserve, whose number is `index`, or null with errno.
void* claim_reserved(file_header& h, std::uint32_t& index);

/// Effects: in a forked process: leaves the reserve to the parent.
void forget_reserve();

/// Returns: `bytes` bytes mapped at `at` of the file of which `from` is the first byte, or null.
/// No descriptor is needed.
void* map_behind(void* from, std::uint64_t at, std::size_t bytes);

/// Effects: makes sure that writing there finds room on the disk. Returns: whether it does, or
/// false with errno.
bool populate(void* from, std::size_t bytes);

/// Effects: makes a file as large as a file may become, without using the disk. Returns: its bytes.
std::uint64_t make_sparse(int fd, std::uint64_t least, std::uint64_t most);

}  // namespace heapsmith::recorder
