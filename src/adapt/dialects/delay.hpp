// The purge delay as peers have it: in milliseconds, and -1 for never.
#pragma once

#include <sys/types.h>

namespace heapsmith::dialects {

ssize_t decay_ms();

/// Returns: 0; EFAULT if `ms` is less than -1.
int set_decay_ms(ssize_t ms);

}  // namespace heapsmith::dialects
