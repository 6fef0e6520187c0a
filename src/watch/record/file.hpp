// The raw file of a recording: makes it, and claims and closes its blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "watch/record/format.hpp"

namespace heapsmith::recorder {

/// Blocks of threads that have ended, for those that begin. So threads that come and go share
/// blocks.
inline constexpr unsigned most_spare = 16;

inline constexpr std::size_t most_directory = 2048;

/// The threads of a process share one while they write into one file. It is never unmapped, nor is
/// its header, since a thread may be in the middle of an event when the recording stops.
struct recording {
  file_header* header;
  std::int32_t pid;
  char path[most_directory + 256];
  atomic<std::uint64_t> next_note_ns;  // when both clocks are to be read again
  atomic<block_header*> spare[most_spare];
  /// One bit for each caller, by its hash: whether it was seen before.
  atomic<std::uint64_t> seen_callers[64];
};

/// Returns: a recording with a new file PID.N.raw in the folder `directory`, or null with errno.
/// `parents` is the recording of the process that forked this one at `fork_tick`, or null.
recording* make_recording(const char* directory, const recording* parents, std::uint64_t fork_tick);

/// Returns: a new block with its header filled in, or null. Complexity: four calls of the kernel.
block_header* claim_block(recording& r);

/// Effects: completes a block and unmaps it.
void close_block(block_header* block);

}  // namespace heapsmith::recorder
