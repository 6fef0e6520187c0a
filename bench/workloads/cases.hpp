// The suites pools and containers: the names of the measured cases, and how often they repeat.
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

/// Returns: the turns that make up about 40 million doubles, or 4 million elements.
inline std::size_t turns(const request& wanted, const size_case& what) {
  const std::size_t weight = what.n * std::max<std::size_t>(what.payload, 10);
  const std::size_t budget = wanted.choose(40'000'000U, 4'000'000U, 1'000U);
  return std::max<std::size_t>(budget / weight, wanted.choose(3U, 2U, 1U));
}

/// Effects: reports the time of one phase. This and the functions below run between measurements.
/// They are not templates, of which the suites would compile hundreds of instances.
[[gnu::noinline]] inline void report_time(report& to, const size_case& what, const char* phase,
                                          double seconds) {
  to.value("wall_s", what.phase(phase), seconds);
}

/// Runs the work `turns` times in a row.
using turns_of_work = void (*)(const void* work, std::size_t turns);

/// Returns: the time of one turn: the median of about twenty groups of turns, since other processes
/// may have had the processor in a few.
[[gnu::noinline]] inline double time_of_turn(std::size_t turns, turns_of_work run,
                                             const void* work) {
  const std::size_t group = std::max<std::size_t>(turns / 20, 1);
  std::vector<double> times;
  stopwatch watch;
  for (std::size_t done = 0; done < turns; done += group) {
    watch.start();
    run(work, group);
    watch.stop();
    times.push_back(watch.take() / static_cast<double>(group));
  }
  return median(std::move(times));
}

template <class Work>
double time_of_turn(std::size_t turns, const Work& work) {
  const auto run = [](const void* same, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) (*static_cast<const Work*>(same))();
  };
  return time_of_turn(turns, run, &work);
}

/// The size of a large container; tests take a smaller one.
inline std::size_t large(const request& wanted) {
  return wanted.choose(100'000U, 100'000U, 500U);
}

/// Effects: reports what operator new has handed out for so many elements.
[[gnu::noinline]] inline void report_memory(report& to, const size_case& what,
                                            std::size_t elements) {
  const handed_out now = counted_new::so_far();
  const std::string setting = what.phase("fill");
  to.value("allocations", setting, static_cast<double>(now.calls));
  to.value("bytes_per_element", setting,
           static_cast<double>(now.live_bytes) / static_cast<double>(elements));
}

/// Effects: reports the memory that `fill` of a fresh `Box` takes from operator new, per element;
/// then calls `end`, which may erase the elements.
template <class Box, class Fill, class End = void (*)(Box&)>
void count_memory(
    const size_case& what, std::size_t elements, report& report, Fill fill, End end = [](Box&) {}) {
  const counted_new counting;
  {
    Box box(elements);
    fill(box);
    report_memory(report, what, elements);
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

/// A fixed pool without a free list cannot reuse the slots of erased elements.
template <class Contender>
constexpr bool can_churn() {
  if constexpr (requires { Contender::reuses; })
    return Contender::reuses;
  else
    return true;
}

}  // namespace bench
