// Runs the cases of a bare target. After misuse, the program starts again with the next case.
#include "suite.hpp"

#include "heapsmith/freestanding.h"
#include "target.hpp"

namespace suite {
namespace {

// These survive start_again().
std::size_t next_case, passed, failed;
const test_case* current;
bool has_failed;
std::uint32_t state;

void say(const char* text) {
  constexpr std::uintptr_t write0 = 0x04;
  target::call_host(write0, text);
}

void say(std::uint32_t number) {
  char digits[11];
  char* at = digits + sizeof digits - 1;
  *at = 0;
  do *--at = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  say(at);
}

bool is_same(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}

void end_case() {
  ++(has_failed ? failed : passed);
  current = nullptr;
}

}  // namespace

void fail(const char* what, int line) {
  if (!has_failed) {
    say(target::name), say(": "), say(current->name), say(": line ");
    say(static_cast<std::uint32_t>(line)), say(": "), say(what), say("\n");
  }
  has_failed = true;
}

std::uint32_t random() {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

void run(const test_case* cases, std::size_t count) {
  while (next_case < count) {
    current = &cases[next_case++];
    has_failed = false;
    state = 2463534242;
    current->run();
    if (current->call != nullptr) fail("misuse was not told", 0);
    end_case();
  }
  say(target::name), say("\n");
  say(static_cast<std::uint32_t>(passed)), say(" passed, ");
  say(static_cast<std::uint32_t>(failed)), say(" failed\n");
  constexpr std::uintptr_t exit_extended = 0x20, application_exit = 0x20026;
  const std::uintptr_t why[] = {application_exit, failed != 0 || passed == 0};
  target::call_host(exit_extended, why);
  for (;;) {
  }
}

}  // namespace suite

extern "C" void hs_misuse(const char* call, const void*, const char* reason) {
  using namespace suite;
  if (current->call == nullptr || !is_same(call, current->call) ||
      !is_same(reason, current->reason))
    fail(reason, 0);
  end_case();
  target::start_again();
}
