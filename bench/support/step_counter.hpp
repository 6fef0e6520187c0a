// Counts the instructions of single calls by letting the processor trap after each of them.
//
// callgrind adds up calls and reports no maximum. Setting the trap flag makes the kernel send
// SIGTRAP after every instruction; the handler counts. That costs microseconds for each, so only
// some calls are counted: those that took longest when they were timed, and others at even
// distances, in case what is long in instructions is not in time.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "support/report.hpp"

namespace bench {

class step_counter {
 public:
  // A call of more instructions is not counted on. A restartable sequence could go on for ever:
  // each trap makes it begin again.
  static constexpr std::uint64_t most = 2'000'000;

  step_counter() {
    struct sigaction action{};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t*, void* context) {
      count_ = count_ + 1;
      if (count_ == most) static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
    };
    expect(sigaction(SIGTRAP, &action, nullptr) == 0, "no handler for SIGTRAP");
    nothing_ = count([] {});
  }

  // The instructions of the call alone, without those of the two switches; at most `most`.
  template <class Call>
  std::uint64_t count(Call call) {
    count_ = 0;
    trap_after_each_instruction();
    call();
    trap_no_more();
    const std::uint64_t counted = count_;
    return counted == most ? most : counted - std::min(counted, nothing_);
  }

 private:
  // Moves the stack pointer first: the compiler may keep data below it.
  static void trap_after_each_instruction() {
    asm volatile("lea -128(%%rsp), %%rsp\n\t"
                 "pushfq\n\t"
                 "orq $0x100, (%%rsp)\n\t"
                 "popfq\n\t"
                 "lea 128(%%rsp), %%rsp"
                 :
                 :
                 : "memory", "cc");
  }

  static void trap_no_more() {
    asm volatile("lea -128(%%rsp), %%rsp\n\t"
                 "pushfq\n\t"
                 "andq $~0x100, (%%rsp)\n\t"
                 "popfq\n\t"
                 "lea 128(%%rsp), %%rsp"
                 :
                 :
                 : "memory", "cc");
  }

  static inline volatile std::uint64_t count_ = 0;  // written by the handler, on this thread
  std::uint64_t nothing_ = 0;
};

// The calls to count: half of them the slowest, half at even distances.
inline std::vector<bool> chosen_calls(std::span<const std::uint32_t> taken, std::size_t count) {
  std::vector<bool> chosen(taken.size());
  if (taken.empty()) return chosen;
  const std::size_t half = std::min(count / 2, taken.size() - 1);
  std::vector<std::uint32_t> order(taken.size());
  std::iota(order.begin(), order.end(), 0u);
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(half), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return taken[a] > taken[b]; });
  for (std::size_t i = 0; i < half; ++i) {
    chosen[order[i]] = true;
    chosen[i * taken.size() / half] = true;
  }
  return chosen;
}

}  // namespace bench
