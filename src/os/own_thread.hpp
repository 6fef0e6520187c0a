// A thread of the library's own. malloc may start it at any time, so libc has no part in it.
#pragma once

#include <cstdint>

namespace heapsmith::os {

/// Finds the memory for the thread. Call before main(), once: it asks the loader, whose locks
/// malloc must not wait for. False: the thread cannot exist in this process.
bool prepare_own_thread();

/// Starts the thread, named `name`, which runs `body`. No signal is delivered to it, and it may
/// make no system calls but those that give memory back and wait. Its variables of thread storage
/// are zero at first. Takes no lock. Requires: prepare_own_thread() was true, and no such thread
/// runs. False: refused.
bool start_own_thread(const char* name, void (*body)());

/// Whether it was started in this process. libc does not count it as a thread.
bool has_own_thread();

/// In a forked child, which does not have the thread.
void forget_own_thread();

/// Lets the calling thread sleep; may return early.
void sleep_ms(std::uint64_t ms);

}  // namespace heapsmith::os
