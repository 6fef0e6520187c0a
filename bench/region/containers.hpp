// The container workloads by name, and the loop that repeats one of them for each size.
#pragma once

#include <new>
#include <string_view>
#include <vector>

#include "associations.hpp"
#include "effort.hpp"
#include "sequences.hpp"

namespace bench {

struct container_workload {
  std::string_view name;
  std::uint64_t (*run)(contender&, std::size_t count, stopwatch&);
};

inline std::span<const container_workload> container_workloads() {
  using vector = sequence_scenarios<integers, std::vector>;
  using deque = sequence_scenarios<integers, std::deque>;
  using list = sequence_scenarios<integers, std::list>;
  using strings = sequence_scenarios<big_strings, std::list>;
  using map = map_scenarios<tree_map>;
  using umap = map_scenarios<hash_map>;
  static constexpr container_workload all[] = {
      {"vector-push", vector::push},   {"deque-push", deque::push},
      {"deque-pop", deque::pop},       {"deque-mixed", deque::mixed},
      {"list-push", list::push},       {"list-pop", list::pop},
      {"list-mixed", list::mixed},     {"bigstring-push", strings::push},
      {"bigstring-pop", strings::pop}, {"bigstring-mixed", strings::mixed},
      {"map-insert", map::insert},     {"map-erase", map::erase},
      {"map-mixed", map::mixed},       {"map-find", map::find},
      {"umap-insert", umap::insert},   {"umap-erase", umap::erase},
      {"umap-mixed", umap::mixed},     {"umap-find", umap::find},
  };
  return all;
}

// The bytes that the largest size needs: big strings reach 24 KiB, other elements 64 bytes, and a
// vector that doubles uses three times its elements.
inline std::size_t container_bytes(std::string_view workload, std::size_t largest_count) {
  const bool strings = workload.starts_with("bigstring");
  const std::size_t element = strings ? (16 << 10) + largest_count / 4 + 1024 : 128;
  return element * largest_count + (std::size_t{4} << 20);
}

// The time of one phase: the median of up to 25 batches, each the mean of its repetitions. Batches
// are long enough to hold what an allocator does now and then, and short enough that most of them
// end before the kernel gives the processor to another process.
inline double time_of(const container_workload& workload, contender& timed, std::size_t count,
                      double budget_s, std::uint64_t expected) {
  constexpr int most_batches = 25;
  stopwatch watch;
  std::vector<double> means;
  const double begin = seconds_now();
  for (int batch = 1; batch <= most_batches; ++batch) {
    double total = 0;
    int repetitions = 0;
    do {
      expect(workload.run(timed, count, watch) == expected, "a repetition read other contents");
      renew(timed);
      total += watch.take();
      ++repetitions;
    } while (seconds_now() - begin < budget_s * batch / most_batches);
    means.push_back(total / repetitions);
    if (seconds_now() - begin > budget_s) break;
  }
  return median(means);
}

inline void run_container(const container_workload& workload, contender& timed,
                          const effort& effort, report& report) {
  for (const std::size_t count : effort.counts) {
    try {
      stopwatch warm_up;
      const std::uint64_t answer = workload.run(timed, count, warm_up);
      renew(timed);
      report.value("wall_s", "n", count,
                   time_of(workload, timed, count, effort.container_s, answer));
      report.answer(answer);
    } catch (const std::bad_alloc&) {
      report.refused("n", count);
      renew(timed);
    }
  }
}

}  // namespace bench
