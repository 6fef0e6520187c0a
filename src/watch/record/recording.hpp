// Whether this process records, and into which file: the begin and the end of recordings.
#pragma once

#include <cstddef>
#include <cstdint>

#include "watch/record/file.hpp"

namespace heapsmith::recorder {

/// A page whose first word is the recording of this process, or null. A fork clears it in the
/// child, and the end of a recording in all threads.
inline constexpr std::size_t largest_page = 64 * 1024;
struct alignas(largest_page) fork_mark {
  atomic<recording*> current;
  char rest[largest_page - sizeof(atomic<recording*>)];
};
extern constinit fork_mark mark;

/// Whether calls are to be recorded. Undecided: the environment was not read yet.
enum class recording_state : std::uint8_t { undecided, on, off };
extern constinit atomic<recording_state> state;

/// Effects: unless the state is off, makes sure that this process, and not its parent, has a
/// recording. The state of a process that can make no file is off. Returns: the recording, or null.
recording* open_recording();

/// Effects: begins a recording in the folder `directory`. Returns: 0; EINVAL if `directory` is
/// null, not absolute or too long; EALREADY if the state is on; the error of a file that cannot be
/// made.
int start_recording(const char* directory);

/// Effects: ends the recording. A thread in the middle of an event completes the event. Returns: 0,
/// or EALREADY if the state is not on.
int stop_recording();

/// Effects: counts an event that could not be recorded.
void count_drop();

/// Effects: notes both clocks, if that was not done in the last 10 ms.
void note_clocks(recording& r, std::uint64_t tick);

}  // namespace heapsmith::recorder
