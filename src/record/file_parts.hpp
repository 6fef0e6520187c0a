// Shared by the parts of the recorder that make the file of this process and claim its blocks.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "record/format.hpp"

namespace heapsmith::recorder {

/// Of this process's file. The file of a confined process may lie elsewhere: it has this name once
/// the pool was split.
inline constexpr std::size_t path_bytes = 2304;
extern constinit char path[path_bytes];

/// Returns: the header of a new file in `directory`, or null with errno.
file_header* make_file(const char* directory, int pid, std::uint64_t fork_tick);

/// Returns: the header of a segment of the pool, or null: this process has no way to a file.
file_header* make_segment(const char* directory, int pid, std::uint64_t fork_tick);

inline off_t place_of(std::uint32_t index) {
  return static_cast<off_t>(index) * static_cast<off_t>(block_bytes);
}

/// Returns: whether the file may become large enough for a block. Errors: EFBIG.
bool may_reach(off_t at);

/// Returns: the block of an open file mapped, or null with errno.
void* map_block(int fd, std::uint32_t index);

/// Returns: whether the command has packed the file, so that nobody reads what comes later.
inline bool was_packed(const file_header& h) {
  return h.is_packed.load(relaxed) != 0;  // relaxed: a number of its own
}

}  // namespace heapsmith::recorder
