// Runs main() of the example in docs/embedded.md, and exits with its result.
#include "target.hpp"

extern "C" int main();

void program() {
  constexpr std::uintptr_t exit_extended = 0x20, application_exit = 0x20026;
  const std::uintptr_t why[] = {application_exit, static_cast<std::uintptr_t>(main())};
  target::call_host(exit_extended, why);
  for (;;) {
  }
}
