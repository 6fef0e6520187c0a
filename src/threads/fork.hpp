// fork: what parent and child do so that both can allocate at once.
#pragma once

namespace heapsmith {

/// Registers the handlers, and the page that notices children no handler ran in.
void watch_forks();

/// In a child made by _Fork or clone, where no handler ran, does the work of the handler.
/// Slow paths and large blocks begin with it: two loads when there is nothing to notice.
void notice_fork();

}  // namespace heapsmith
