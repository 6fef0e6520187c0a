// A RISC-V processor: its first instructions, and how it calls its host.
#include "target.hpp"

extern "C" unsigned char stack_end[];

namespace target {

const char name[] = "RV32IMAC";

/// The host recognises these three instructions. None may be compressed, nor lie on two pages.
[[gnu::naked, gnu::noinline, gnu::aligned(16)]] std::uintptr_t call_host(std::uintptr_t,
                                                                         const void*) {
  asm volatile(".option push\n .option norvc\n"
               "slli x0, x0, 0x1f\n ebreak\n srai x0, x0, 7\n"
               "ret\n .option pop");
}

[[gnu::naked, gnu::section(".vectors")]] void start_again() {
  asm volatile("la sp, stack_end\n la t0, trap\n csrw mtvec, t0\n j program");
}

}  // namespace target

/// An exception that no test expects: exits with status 9.
extern "C" [[noreturn, gnu::used, gnu::aligned(4)]] void trap() {
  constexpr std::uintptr_t exit_extended = 0x20, application_exit = 0x20026;
  const std::uintptr_t why[] = {application_exit, 9};
  target::call_host(exit_extended, why);
  for (;;) {
  }
}
