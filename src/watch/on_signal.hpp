// Statistics on signals: SIGTERM, before the process dies of it, and the one that stats_signal
// names.
#pragma once

#include <signal.h>

namespace heapsmith::watch {

/// Begins to write the report on these signals. An ignored signal stays ignored.
void report_on_signals();

/// sigaction(). On such a signal, the program's action is kept, and carried out behind the report.
/// Where the program handles SIGTERM, its handler is the only one, unless stats_signal names it.
int change_action(int number, const struct sigaction* action, struct sigaction* old);

/// Effects: does the same with the action that a function of libc has just set. Returns: what that
/// function would have returned without heapsmith. `before` is what it returned.
sighandler_t keep_report(int number, sighandler_t before);

}  // namespace heapsmith::watch
