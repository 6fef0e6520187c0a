// A Cortex-M processor: its vectors, its first instructions, and how it calls its host.
#include "target.hpp"

extern "C" unsigned char stack_end[];

namespace target {

const char name[] = "Cortex-M3";

[[gnu::naked, gnu::noinline]] std::uintptr_t call_host(std::uintptr_t, const void*) {
  asm volatile("bkpt 0xab\n bx lr");
}

[[gnu::naked]] void start_again() {
  asm volatile("mov sp, %0\n b program" ::"r"(stack_end));
}

}  // namespace target

namespace {

/// An exception that no test expects: exits with status 9.
[[noreturn]] void trap() {
  constexpr std::uintptr_t exit_extended = 0x20, application_exit = 0x20026;
  const std::uintptr_t why[] = {application_exit, 9};
  target::call_host(exit_extended, why);
  for (;;) {
  }
}

using handler = void (*)();

/// The first stack pointer, the handler of reset, and those of NMI and faults.
[[gnu::section(".vectors"), gnu::used]] const handler vectors[] = {
    reinterpret_cast<handler>(stack_end), target::start_again, trap, trap, trap, trap, trap};

}  // namespace
