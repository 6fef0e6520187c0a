// Counts the instructions of single calls by letting the processor trap after each of them.
//
// callgrind adds up calls and reports no maximum. Setting the trap flag makes the kernel send
// SIGTRAP after every instruction; the handler counts. That costs microseconds for each, so only
// some calls are counted: those that took longest when they were timed, and others at even
// distances, in case what is long in instructions is not in time.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <numeric>
#include <vector>

#include "random.hpp"

namespace bench {

class step_counter {
 public:
  step_counter() {
    struct sigaction action{};
    action.sa_handler = [](int) { count_ = count_ + 1; };
    expect(sigaction(SIGTRAP, &action, nullptr) == 0, "no handler for SIGTRAP");
    nothing_ = count([] {});
  }

  // The instructions of the call alone, without those of the two switches.
  template <class Call>
  std::uint64_t count(Call call) {
    count_ = 0;
    trap_after_each_instruction();
    call();
    trap_no_more();
    const std::uint64_t counted = count_;
    return counted - std::min(counted, nothing_);
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

// Plays the script twice, each time with a fresh contender: first timed, then counted.
inline void run_counted(const mix_name& mix, std::span<std::byte> buffer, const effort& effort,
                        report& report) {
  const std::size_t steps = effort.latency_steps;
  const script script(distribution(mix.sizes), effort.mix_bytes / 100 * mix.per_cent, steps, 0);
  call_timer timer(steps);
  const auto play = [&](auto&& around) {
    const contender_handle played = make_contender(buffer);
    player player(*played, script.slots());
    player.play<marks::light>(script.until_aged());
    player.play<marks::light>(script.then(0, steps), around);
    player.end();
    report.answer(player.answer());
  };
  play(timer);

  const std::vector<bool> chosen = chosen_calls(timer.taken(), effort.counted_steps);
  step_counter counter;
  std::uint64_t worst = 0;
  std::size_t call_number = 0;
  play([&](auto call) {
    const std::size_t number = call_number++;
    if (number < chosen.size() && chosen[number]) {
      worst = std::max(worst, counter.count(call));
    } else {
      call();
    }
  });
  report.value("worst_instructions", "threads", 1, static_cast<double>(worst));
}

}  // namespace bench
