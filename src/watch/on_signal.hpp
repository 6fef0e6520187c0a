// Statistics on signals: SIGTERM, before the process dies of it, and the one that stats_signal
// names.
#pragma once

#include <signal.h>

namespace heapsmith::watch {

/// Begins to write the report on these signals. An ignored signal stays ignored.
void report_on_signals();

/// Whether reports are written on this signal. Never before report_on_signals().
bool is_reported_on(int number);

/// sigaction() for such a signal: the program's action is kept, and carried out behind the report.
/// Where the program handles SIGTERM, its handler is the only one, unless stats_signal names it.
int change_action(int number, const struct sigaction* action, struct sigaction* old);

}  // namespace heapsmith::watch
