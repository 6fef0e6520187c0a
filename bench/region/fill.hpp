// How much of the buffer is in use when a contender first refuses a block.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "effort.hpp"
#include "player.hpp"
#include "script.hpp"
#include "support/report.hpp"

namespace bench {

// So large that one block of the largest size is less than half a percent of it.
inline constexpr std::size_t fill_buffer_bytes = std::size_t{16} << 20;

// Allocates two blocks for each one that it frees, until a request fails: the contender must find
// and reuse the holes.
inline double utilisation(const distribution& sizes, std::span<std::byte> buffer,
                          std::uint64_t seed) {
  const contender_handle filled = make_contender(buffer);
  random_source random(seed);
  std::vector<std::uint32_t> live;
  // More slots than blocks can ever fit.
  player player(*filled, buffer.size() / 16);
  std::vector<std::uint32_t> free;
  std::uint32_t slots = 0;
  while (player.refused() == 0) {
    if (!live.empty() && random.below(3) == 0) {
      std::uint32_t& chosen = live[random.below(live.size())];
      const step end{chosen, 0};
      player.play<marks::full>({&end, 1});
      free.push_back(chosen);
      chosen = live.back();
      live.pop_back();
      continue;
    }
    step begin{slots, sizes.draw(random)};
    if (free.empty()) {
      ++slots;
    } else {
      begin.slot = free.back();
      free.pop_back();
    }
    player.play<marks::full>({&begin, 1});
    live.push_back(begin.slot);
  }
  const double used = static_cast<double>(player.live_bytes());
  player.end();
  return used / static_cast<double>(buffer.size());
}

// The mean over several sequences of requests.
inline void run_fill(const distribution& sizes, std::span<std::byte> buffer, const effort& effort,
                     report& report) {
  double sum = 0;
  for (std::size_t seed = 0; seed < effort.fills; ++seed) {
    sum += utilisation(sizes, buffer, seed);
  }
  report.value("utilisation", "threads", 1, sum / static_cast<double>(effort.fills));
}

}  // namespace bench
