// vector-uint8: 50 elements are pushed to a vector that starts empty, in memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/lanes.hpp"
#include "support/report.hpp"
#include "support/suite.hpp"

namespace bench {

inline constexpr unsigned pushes = 50;

/// One vector from construction to destruction. `seen` is one of its elements at the end.
template <class Contender>
[[gnu::noinline]] void push_once(std::span<std::byte> buffer, unsigned number, std::uint8_t& seen) {
  typename Contender::memory memory(buffer);
  auto allocator = memory.template of<std::uint8_t>();
  std::vector<std::uint8_t, decltype(allocator)> values(allocator);
  for (unsigned i = 0; i < pushes; ++i) values.push_back(static_cast<std::uint8_t>(number + i));
  keep(values);
  seen = values[number % pushes];
}

template <class Contender>
[[gnu::noinline]] void push_many(unsigned vectors) {
  alignas(64) std::byte buffer[1024];
  for (unsigned number = 0; number < vectors; ++number) {
    std::uint8_t seen;
    push_once<Contender>(buffer, number, seen);
    expect(seen == static_cast<std::uint8_t>(number + number % pushes),
           "an element changed while it was in the vector");
  }
}

template <class Contender>
void run_vector(const request& wanted, report& report) {
  const unsigned vectors = wanted.choose(200'000U, 40'000U, 1'000U);
  lanes all(wanted.threads, 2);
  all.run([&](unsigned) {
    all.timed(0, [&] { push_many<Contender>(vectors / 10); });  // not reported: a warm-up
    all.timed(1, [&] { push_many<Contender>(vectors); });
  });
  report.value("wall_s", "threads", wanted.threads, all.seconds(1) / vectors);
  report.answer(vectors);
}

template <class Contender>
entry vector_entry() {
  return make_entry<Contender>("vector-uint8", {1, 5, 10}, run_vector<Contender>);
}

}  // namespace bench
