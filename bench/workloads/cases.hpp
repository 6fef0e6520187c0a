// How the suites pools and containers name what they measure, and how often they repeat it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/counted_new.hpp"
#include "support/measure.hpp"
#include "support/report.hpp"
#include "support/suite.hpp"

namespace bench {

/// Without a payload, `payload` is 0.
struct size_case {
  std::size_t n;
  std::size_t payload;

  std::string phase(const char* name) const {
    const std::string of_payload = payload == 0 ? "" : ",payload=" + std::to_string(payload);
    return "n=" + std::to_string(n) + of_payload + ",phase=" + name;
  }
};

/// How many turns make up some 40 million doubles, or 4 million elements.
inline std::size_t turns(const request& wanted, const size_case& what) {
  const std::size_t weight = what.n * std::max<std::size_t>(what.payload, 10);
  const std::size_t budget = wanted.choose(40'000'000U, 4'000'000U, 1'000U);
  return std::max<std::size_t>(budget / weight, wanted.choose(3U, 2U, 1U));
}

/// Returns: the time of one turn, the median of some twenty spells of them: others may have had the
/// processor in a few.
template <class Work>
double time_of_turn(std::size_t turns, Work work) {
  const std::size_t spell = std::max<std::size_t>(turns / 20, 1);
  std::vector<double> times;
  stopwatch watch;
  for (std::size_t done = 0; done < turns; done += spell) {
    watch.start();
    for (std::size_t i = 0; i < spell; ++i) work();
    watch.stop();
    times.push_back(watch.take() / static_cast<double>(spell));
  }
  return median(std::move(times));
}

/// The largest of the seed's sizes, or what a test has time for.
inline std::size_t large(const request& wanted) {
  return wanted.choose(100'000U, 100'000U, 500U);
}

/// Effects: reports what `fill` of a fresh `Box` takes of operator new, an element.
/// `end` ends them.
template <class Box, class Fill, class End = void (*)(Box&)>
void count_memory(
    const size_case& what, std::size_t elements, report& report, Fill fill, End end = [](Box&) {}) {
  const std::string setting = what.phase("fill");
  const counted_new counting;
  {
    Box box(elements);
    fill(box);
    const handed_out now = counted_new::so_far();
    report.value("allocations", setting, static_cast<double>(now.calls));
    report.value("bytes_per_element", setting,
                 static_cast<double>(now.live_bytes) / static_cast<double>(elements));
    end(box);
  }
  expect(counted_new::so_far().live_bytes == 0, "memory did not come back");
}

/// Random numbers in 1 to `n`, from a congruential generator, which costs next to nothing.
class random_keys {
 public:
  explicit random_keys(std::size_t n) : n_(n) {}
  int next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>(((state_ >> 32) * n_) >> 32) + 1;
  }

 private:
  std::uint64_t n_;
  std::uint64_t state_ = 1;
};

/// A fixed pool without a free list has no room for what comes after what has gone.
template <class Contender>
constexpr bool can_churn() {
  if constexpr (requires { Contender::reuses; })
    return Contender::reuses;
  else
    return true;
}

}  // namespace bench
