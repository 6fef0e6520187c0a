// The statistics that a process writes when it ends, or on a signal.
#pragma once

namespace heapsmith::watch {

/// Reads the settings, and keeps where the report goes. Returns: whether one is wanted.
bool prepare_report();

/// Whether the report goes to a file.
bool reports_to_file();

/// Writes the report if the process wants one. A forked child does not. Signal handlers may call
/// it: if it interrupts a change of the heap, the figures may be those of the middle of it.
void write_report();

}  // namespace heapsmith::watch
