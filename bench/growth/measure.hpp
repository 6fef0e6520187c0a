// How the cost of a step grows with the number of elements: in time, and in instructions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/measure.hpp"
#include "support/step_counter.hpp"
#include "support/suite.hpp"

namespace bench {

struct costs {
  double ns = 0;            // a step, of all
  double instructions = 0;  // a step, of those at even distances
  double worst = 0;         // instructions of the longest
  double p999_ns = 0;       // what one step in a thousand exceeds
  std::uint64_t answer = 0;
};

// A case is made for `n` elements. It takes steps() steps of one kind, and answer() depends on all
// of them, but on no allocator.
template <class Case>
double time_steps(std::size_t n, std::uint64_t& answer) {
  Case made(n);
  stopwatch watch;
  watch.start();
  for (std::size_t left = made.steps(); left != 0; --left) made.step();
  watch.stop();
  answer = made.answer();
  return watch.take() * 1e9 / static_cast<double>(made.steps());
}

template <class Case>
std::vector<std::uint32_t> ticks_of_steps(std::size_t n) {
  Case made(n);
  std::vector<std::uint32_t> taken(made.steps());
  for (std::uint32_t& each : taken) {
    const std::uint64_t begin = ticks();
    made.step();
    each = static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks() - begin, UINT32_MAX));
  }
  return taken;
}

// Counts the instructions of the slowest 2 steps, and of `counted` at even distances. The processor
// stops at each instruction, which takes thousands of times as long as the instruction.
template <class Case>
void count_steps(std::size_t n, std::size_t counted, costs& found) {
  const double begin = seconds_now();
  const std::uint64_t first_tick = ticks();
  const std::vector<std::uint32_t> taken = ticks_of_steps<Case>(n);
  const double ns_a_tick =
      (seconds_now() - begin) * 1e9 / static_cast<double>(ticks() - first_tick);
  std::vector<std::uint32_t> sorted = taken;
  found.p999_ns = quantile(sorted, 999, 1000) * ns_a_tick;
  const std::vector<bool> chosen = chosen_calls(taken, 4);
  const std::size_t apart = std::max<std::size_t>(1, taken.size() / counted);
  Case made(n);
  step_counter counter;
  std::uint64_t sum = 0, even = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const bool is_even = i % apart == 0;
    if (!chosen[i] && !is_even) {
      made.step();
      continue;
    }
    const std::uint64_t taken_now = counter.count([&] { made.step(); });
    found.worst = std::max(found.worst, static_cast<double>(taken_now));
    sum += is_even ? taken_now : 0;
    even += is_even;
  }
  expect(made.answer() == found.answer, "a step did something else when it was counted");
  found.instructions = static_cast<double>(sum) / static_cast<double>(even);
}

template <class Case>
void measure_growth(const request& wanted, report& report) {
  const std::size_t largest = wanted.choose(1'000'000U, 1'000'000U, 100'000U);
  const int turns = wanted.choose(5, 3, 1);
  const std::size_t counted = wanted.choose(200U, 100U, 30U);
  costs first;
  for (std::size_t n = 1'000; n <= largest; n *= 10) {
    costs found;
    found.ns = time_steps<Case>(n, found.answer);
    for (int turn = 1; turn < turns; ++turn)
      found.ns = std::min(found.ns, time_steps<Case>(n, found.answer));
    count_steps<Case>(n, counted, found);
    const std::string setting = "n=" + std::to_string(n);
    report.value("call_ns", setting, found.ns);
    report.value("instructions", setting, found.instructions);
    report.value("worst_instructions", setting, found.worst);
    report.value("p999_ns", setting, found.p999_ns);
    report.answer(found.answer);
    if (n == 1'000) {
      first = found;
    } else {
      report.value("instructions_growth", setting, found.instructions / first.instructions);
      report.value("time_growth", setting, found.ns / first.ns);
    }
  }
}

}  // namespace bench
