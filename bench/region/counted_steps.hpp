// The instructions of the longest call of a random mix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "random.hpp"
#include "support/step_counter.hpp"

namespace bench {

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
