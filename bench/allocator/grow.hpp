// vector-grow-N: a vector of a random number of elements gets a random number of further ones, at
// most N together. Reported per vector.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/buffer.hpp"
#include "support/lanes.hpp"
#include "support/report.hpp"
#include "support/suite.hpp"

namespace bench {

struct growth {
  std::uint32_t from;
  std::uint32_t pushed;
};

/// The same for all contenders.
inline std::vector<growth> draw_growths(std::size_t count, std::uint32_t most) {
  std::vector<growth> drawn(count);
  std::uint64_t seed = 0;
  for (growth& each : drawn) {
    each.from = static_cast<std::uint32_t>(mix(++seed) % (most + 1));
    each.pushed = static_cast<std::uint32_t>(mix(++seed) % (most - each.from + 1));
  }
  return drawn;
}

template <class Contender>
[[gnu::noinline]] void grow(std::span<std::byte> buffer, const growth& drawn, bool is_timed) {
  typename Contender::memory memory(buffer);
  auto allocator = memory.template of<std::uint32_t>();
  std::vector<std::uint32_t, decltype(allocator)> values(drawn.from, allocator);
  for (std::uint32_t i = 0; i < drawn.pushed; ++i) values.emplace_back(i);
  keep(values);
  expect(values.size() == drawn.from + drawn.pushed, "the vector lost elements");
  // Timed, one element of either kind; else all of them.
  if (drawn.from > 0) expect(values[drawn.from / 2] == 0, "an element changed");
  if (drawn.pushed > 0) expect(values.back() == drawn.pushed - 1, "an element changed");
  for (std::uint32_t i = 0; !is_timed && i < values.size(); ++i)
    expect(values[i] == (i < drawn.from ? 0 : i - drawn.from), "an element changed");
}

template <class Contender, std::uint32_t Most>
void run_growth(const request& wanted, report& report) {
  // As many elements in all of them, except the largest.
  const std::size_t elements = wanted.choose<std::size_t>(24 << 20, 6 << 20, 1 << 16);
  const std::size_t count = std::clamp<std::size_t>(elements / Most, 6, 200'000);
  const std::vector<growth> drawn = draw_growths(count, Most);
  // A vector that doubles uses up to three times its elements, and `limit` reuses nothing.
  const buffer buffer(std::size_t{Most} * 4 * sizeof(std::uint32_t) + 4096);
  lanes all(1, 2);
  all.run([&](unsigned) {
    for (const unsigned phase : {0U, 1U})  // the first one is a warm-up
      all.timed(phase, [&] {
        for (const growth& each : drawn) grow<Contender>(buffer.memory(), each, phase == 1);
      });
  });
  report.value("wall_s", "threads", 1, all.seconds(1) / static_cast<double>(count));
  report.answer(count);
}

template <class Contender, std::uint32_t Most>
entry grow_entry() {
  return make_entry<Contender>("vector-grow-" + std::to_string(Most), {1},
                               run_growth<Contender, Most>);
}

template <class Contender>
void add_grow_entries(std::vector<entry>& all) {
  all.push_back(grow_entry<Contender, 4>());
  all.push_back(grow_entry<Contender, 64>());
  all.push_back(grow_entry<Contender, 1024>());
  all.push_back(grow_entry<Contender, 16384>());
  all.push_back(grow_entry<Contender, 262144>());
  all.push_back(grow_entry<Contender, 4194304>());
}

}  // namespace bench
