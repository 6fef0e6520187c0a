// set, map: the keys j and -j, for j from 1 to n, are inserted; 0, all of them and the two beyond
// are looked up; all are erased. churn: random keys are inserted and erased.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <vector>

#include "containers/trees.hpp"
#include "workloads/cases.hpp"

namespace bench {

template <class Box, std::size_t P>
[[gnu::noinline]] void insert_all(Box& box, int n) {
  numbered<payload<P>> all;
  for (int j = 1; j <= n; ++j) {
    const payload<P>& value = all.next();
    box.insert(j, value);
    box.insert(-j, value);
  }
  keep(box);
}

template <class Box>
[[gnu::noinline]] std::size_t probe_all(const Box& box, int n) {
  std::size_t found = box.has(0);
  for (int j = 1; j <= n + 1; ++j) {
    found += box.has(j);
    found += box.has(-j);
  }
  return found;
}

template <class Box>
[[gnu::noinline]] void erase_all(Box& box, int n) {
  for (int j = 1; j <= n; ++j) {
    box.erase(j);
    box.erase(-j);
  }
  keep(box);
}

template <class Box, std::size_t P>
void check_full(const Box& box, int n) {
  int next = -n;
  box.each([&next](int key, double first) {
    expect(key == next && (P == 0 || first == std::abs(key)), "not the key or the value inserted");
    next += next == -1 ? 2 : 1;
  });
  expect(next == n + 1, "keys are missing");
}

/// Several small containers take turns, so that the clock is read seldom.
inline std::size_t in_a_row(const size_case& what) {
  const std::size_t bytes = 2 * what.n * (32 + 8 * what.payload);
  return std::clamp<std::size_t>((32U << 10) / bytes, 1, 32);
}

/// The times of the phases of each round.
class tree_times {
 public:
  [[gnu::noinline]] void add(double insert, double probe, double erase) {
    insert_.push_back(insert);
    probe_.push_back(probe);
    erase_.push_back(erase);
    all_.push_back(insert + probe + erase);
  }

  void restart() {
    for (auto* times : {&insert_, &probe_, &erase_, &all_}) times->clear();
  }

  /// Effects: reports the medians of the rounds, for one of so many boxes. Other processes may have
  /// had the processor in a few rounds.
  [[gnu::noinline]] void tell(report& to, const size_case& what, std::size_t boxes) const {
    const auto of_one = [boxes](const std::vector<double>& times) {
      return median(times) / static_cast<double>(boxes);
    };
    report_time(to, what, "insert", of_one(insert_));
    report_time(to, what, "probe", of_one(probe_));
    report_time(to, what, "erase", of_one(erase_));
    report_time(to, what, "all", of_one(all_));
  }

 private:
  std::vector<double> insert_, probe_, erase_, all_;
};

template <class Contender, std::size_t P>
class tree_rounds {
  using box = ordered<Contender, P>;

 public:
  explicit tree_rounds(const size_case& what) : n_(static_cast<int>(what.n)), what_(what) {
    for (std::size_t i = in_a_row(what); i != 0; --i) boxes_.emplace_back(2 * what.n);
  }

  void run() {
    stopwatch watch;
    watch.start();
    for (box& each : boxes_) insert_all<box, P>(each, n_);
    watch.stop();
    const double insert = watch.take();
    watch.start();
    std::size_t found = 0;
    for (box& each : boxes_) found += probe_all(each, n_);
    watch.stop();
    const double probe = watch.take();
    expect(found == 2 * what_.n * boxes_.size(), "probes found a missing key, or missed one");
    if (!is_checked_)
      for (box& each : boxes_) check_full<box, P>(each, n_);
    is_checked_ = true;
    watch.start();
    for (box& each : boxes_) erase_all(each, n_);
    watch.stop();
    times_.add(insert, probe, watch.take());
    for (box& each : boxes_) {
      expect(each.empty(), "something was not erased");
      each.clear();  // kinds that do not reuse erased slots reuse them only after this
    }
  }

  void restart() { times_.restart(); }
  void tell(report& to) const { times_.tell(to, what_, boxes_.size()); }

 private:
  int n_;
  size_case what_;
  std::deque<box> boxes_;
  tree_times times_;
  bool is_checked_ = false;
};

template <class Contender, std::size_t P>
void measure_tree(const request& wanted, std::size_t n, report& report) {
  const size_case what{n, P};
  using box = ordered<Contender, P>;
  count_memory<box>(what, 2 * n, report,
                    [n](box& fresh) { insert_all<box, P>(fresh, static_cast<int>(n)); });
  tree_rounds<Contender, P> all(what);
  all.run();
  all.restart();
  // An insertion, a probe and an erasure each take as long as about ten doubles.
  const std::size_t rounds = turns(wanted, {n, std::max<std::size_t>(P, 40)});
  for (std::size_t left = std::max<std::size_t>(rounds / in_a_row(what), 1); left != 0; --left)
    all.run();
  all.tell(report);
  report.answer(n);
}

template <class Contender>
void run_set(const request& wanted, report& report) {
  for (const std::size_t n : {std::size_t{10}, wanted.choose<std::size_t>(1000, 1000, 100)})
    measure_tree<Contender, 0>(wanted, n, report);
  measure_tree<Contender, 0>(wanted, large(wanted), report);
}

template <class Contender>
void run_map(const request& wanted, report& report) {
  for (const std::size_t n : {std::size_t{10}, large(wanted)}) {
    measure_tree<Contender, 1>(wanted, n, report);
    measure_tree<Contender, 10>(wanted, n, report);
    measure_tree<Contender, 100>(wanted, n, report);
  }
}

template <class Box>
[[gnu::noinline]] void churn_keys(Box& box, std::size_t steps, random_keys& keys) {
  for (std::size_t i = 0; i < steps; ++i) {
    box.insert(keys.next(), {});
    box.erase(keys.next());
  }
  keep(box);
}

template <class Box>
[[gnu::noinline]] std::size_t look_up_keys(const Box& box, std::size_t steps, random_keys& keys) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < steps; ++i) found += box.has(keys.next());
  return found;
}

/// The keys that remain in the set and the number of hits are the same for all contenders.
template <class Contender>
void run_churn(const request& wanted, report& report) {
  const size_case what{large(wanted), 0};
  const std::size_t steps = wanted.choose(10'000'000U, 500'000U, 5'000U);
  ordered<Contender, 0> box(what.n);
  random_keys keys(what.n);
  churn_keys(box, steps / 10, keys);
  stopwatch watch;
  watch.start();
  churn_keys(box, steps, keys);
  watch.stop();
  report_time(report, what, "churn", watch.take());
  watch.start();
  const std::size_t found = look_up_keys(box, steps, keys);
  watch.stop();
  report_time(report, what, "probe", watch.take());
  report.answer(found);
  int before = 0;
  box.each([&](int key, double) {
    expect(key > before, "keys are out of order");
    before = key;
    report.answer(static_cast<std::uint64_t>(key));
  });
}

template <class Contender>
void add_trees(std::vector<entry>& all) {
  all.push_back(make_entry<Contender>("set", {1}, run_set<Contender>));
  all.push_back(make_entry<Contender>("map", {1}, run_map<Contender>));
  if constexpr (can_churn<Contender>())
    all.push_back(make_entry<Contender>("churn", {1}, run_churn<Contender>));
}

}  // namespace bench
