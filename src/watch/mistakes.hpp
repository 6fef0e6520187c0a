// Says what is wrong with the settings, and lists them.
#pragma once

namespace heapsmith::watch {

/// The exit status of a process whose limit is malformed: EX_CONFIG of <sysexits.h>.
inline constexpr int malformed_limit_status = 78;

/// Writes a line to stderr for each malformed value and unknown name. Ends the process if a limit
/// is malformed: without it the program could take all memory.
void report_mistakes();

/// Writes each setting to stderr with its value in effect, and who gave it.
void list_settings();

}  // namespace heapsmith::watch
