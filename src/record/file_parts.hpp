// Shared by the parts of the recorder that make the file of this process and claim its blocks.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/hidden.hpp"
#include "record/format.hpp"

namespace heapsmith::recorder {

/// Of this process's file. The file of a confined process may lie elsewhere: it has this name once
/// the pool was split.
inline constexpr std::size_t path_bytes = 2304;
extern constinit char path[path_bytes];

/// Of the recording; "": nothing is recorded.
inline constexpr std::size_t directory_bytes = 2048;
HS_HIDDEN extern constinit char directory[directory_bytes];

/// Effects: reads the variable from the kernel, because libc may not have its own list yet.
/// Complexity: linear in the environment, up to most_environment bytes.
HS_HIDDEN void find_directory();

/// Of the fork that made this process, if it is known and there is no file yet; otherwise 0.
HS_HIDDEN extern constinit std::uint64_t fork_tick;

/// Effects: has the kernel clear the mark in forked processes, also if they come from clone().
HS_HIDDEN void watch_forks();

/// Effects: in a forked process, leaves what belongs to the parent.
HS_HIDDEN void forget_parent();

/// Effects: as this process can make no file, its parent's file says so.
HS_HIDDEN void note_lost_child(file_header& parents, int pid, int error);

/// Effects: a child's header names the file of its parent, whose command it has if it cannot ask
/// for its own.
HS_HIDDEN void name_parent(file_header& child, const file_header& parents,
                           const char* parents_path);

/// Effects: notes both clocks, also if that was done in the last milliseconds.
HS_HIDDEN void note_clocks_again(std::uint64_t tick);

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
