// The functions that a test needs of its target. Each target defines them in a file of its own.
#pragma once

#include <cstdint>

namespace target {

/// The name of the processor, for messages.
extern const char name[];

/// Calls the host that runs the target: ARM's semihosting, which RISC-V has as well.
std::uintptr_t call_host(std::uintptr_t operation, const void* parameter);

/// Empties the stack and calls program(). Memory stays as it is.
[[noreturn]] void start_again();

}  // namespace target

/// The program. (A free-standing compiler does not treat the name main specially.)
extern "C" [[noreturn]] void program();
