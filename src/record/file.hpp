// The file that this process records into: blocks are claimed from it, and what is lost is counted.
#pragma once

#include <cstdint>

#include "record/confine.hpp"
#include "record/format.hpp"

namespace heapsmith::recorder {

/// A page that has the number of this process's file while there is one, from 1. A fork clears the
/// page in the child. `heapsmith record -p` may write both words from outside, to end a recording.
inline constexpr std::size_t largest_page = 64 * 1024;
struct alignas(largest_page) fork_mark {
  atomic<std::uint32_t> file;
  atomic<std::uint32_t> is_stopped;  // no file is opened
  char rest[largest_page - 2 * sizeof(atomic<std::uint32_t>)];
};
extern constinit fork_mark mark;

/// Whether this process has had one thread so far. Of a thread that is alone, one event in
/// events_a_stamp reads the clock while they follow each other fast.
extern constinit atomic<bool> is_alone;

/// Effects: makes sure that this process, and not its parent, has a file. Only the first call of a
/// process does something. Returns: whether there is a file. Errors: errno says why not.
bool open_file();

/// Returns: the header of this process's file. Requires: open_file() has returned true.
file_header& header();

/// Returns: the header of this process's file, or of the last one that it or its parent had, or
/// null.
file_header* header_or_none();

/// Effects: the process is about to be confined: makes it independent of the path of its file, or
/// of all calls of the kernel. Requires: the caller's own calls of malloc are not recorded.
void prepare_for(confinement to);

/// Effects: the processor's clock is not read any more, in any thread. Returns: whether it was read
/// until now. Requires: as prepare_for().
bool stop_clock();

/// Effects: the clock is read again, if no other thread may have inherited that it must not.
void resume_clock();

/// Returns: a new block with its header filled in, or null. Complexity: four calls of the kernel.
block_header* claim_block();

/// Effects: appends a copy of a full block to the file and empties the block, or completes it and
/// takes another one. Returns: the block to go on with, or null: there is no room, and the block is
/// as it was. Complexity: five calls of the kernel.
block_header* store_block(block_header* block);

/// Effects: completes a block and unmaps it.
void close_block(block_header* block);

/// Effects: unmaps a block.
void unmap_block(block_header* block);

/// Effects: begins to record into the folder `where`, as open_file() does. Requires: nothing is
/// being recorded.
bool start_in(const char* where);

/// Effects: ends the recording. No file is opened before start_in() is called.
void stop();

/// Returns: whether this process has a file, and nobody has removed it.
bool is_recording();

/// Effects: counts an event that could not be recorded.
void count_drop();

/// Effects: notes both clocks, if that was not done in the last milliseconds. Returns: whether it
/// was done now.
bool note_clocks(std::uint64_t tick);

/// Effects: before fork(), in the parent: notes when.
void note_fork(std::uint64_t tick);

/// Effects: appends the list of mapped files to FILE.maps if `caller` lies in none of those that
/// were noted before.
void note_module_of(std::uintptr_t caller);

/// The parts of the above that stream.cpp has, since they concern this thread's stream.
/// Effects: forgets what belongs to the last file. Requires: no event is being written.
void forget_last_file();
/// Effects: the next event of this thread reads the clock.
void stamp_next_event();
/// Effects: the next event of this thread asks for a block, even if the last one found none.
void ask_for_a_block_again();

}  // namespace heapsmith::recorder
