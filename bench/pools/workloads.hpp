// scan-column: the keys of all elements are summed up. random-access: elements are read in random
// order. churn: a random element is erased and another one added.
#pragma once

#include <cstddef>
#include <vector>

#include "pools/slots.hpp"
#include "workloads/cases.hpp"

namespace bench {

template <class Box>
using slots_in = std::vector<typename Box::slot>;

template <class Box, class E>
[[gnu::noinline]] void add_all(Box& box, slots_in<Box>& all, std::size_t n) {
  E e{};
  for (std::size_t i = 1; i <= n; ++i) {
    number(e, i);
    all.push_back(box.add(e));
  }
  keep(box);
}

template <class Box>
[[gnu::noinline]] long scan_all(const Box& box, const slots_in<Box>& all) {
  keep(box);
  return box.scan(all);
}

template <class Box>
[[gnu::noinline]] double read_some(const Box& box, const slots_in<Box>& all, random_keys& at,
                                   std::size_t steps) {
  double sum = 0;
  for (std::size_t i = 0; i < steps; ++i) sum += box.read(all[at.next() - 1]);
  return sum;
}

template <class Box, class E>
[[gnu::noinline]] void replace_some(Box& box, slots_in<Box>& all, random_keys& at,
                                    std::size_t steps) {
  E e{};
  for (std::size_t i = 0; i < steps; ++i) {
    const int which = at.next();
    number(e, which);
    auto& slot = all[which - 1];
    box.drop(slot);
    slot = box.add(e);
  }
  keep(box);
}

/// A contender that is full, and its slots.
template <class Contender, std::size_t P>
struct full {
  using box = slots<Contender, element<P>>;

  explicit full(std::size_t n) : held(n) {
    all.reserve(n);
    add_all<box, element<P>>(held, all, n);
  }
  ~full() { held.end(all); }
  full(const full&) = delete;
  full& operator=(const full&) = delete;

  void check() const {
    const std::size_t n = all.size();
    double sum = 0;
    for (const auto& slot : all) sum += held.read(slot);
    expect(sum == sum_up_to(n), "an element changed");
    expect(scan_all(held, all) == static_cast<long>(n * (n + 1) / 2), "a key changed");
  }

  box held;
  slots_in<box> all;
};

template <class Contender, std::size_t P>
void measure_scan(const request& wanted, std::size_t n, report& report) {
  const size_case what{n, P};
  using box = slots<Contender, element<P>>;
  slots_in<box> unmeasured;
  unmeasured.reserve(n);
  const auto fill = [&](box& fresh) { add_all<box, element<P>>(fresh, unmeasured, n); };
  count_memory<box>(what, n, report, fill, [&](box& fresh) { fresh.end(unmeasured); });
  const full<Contender, P> filled(n);
  filled.check();
  const std::size_t rounds = turns(wanted, what);
  const long expected = static_cast<long>(n * (n + 1) / 2);
  report_time(report, what, "scan", time_of_turn(rounds, [&] {
                expect(scan_all(filled.held, filled.all) == expected, "a key changed");
              }));
  report.answer(n);
}

template <class Contender, std::size_t P>
void measure_reads(const request& wanted, std::size_t n, report& report) {
  const full<Contender, P> filled(n);
  filled.check();
  const std::size_t steps = wanted.choose(2'000'000U, 500'000U, 1'000U);
  double sum = 0;
  random_keys at(n);
  stopwatch watch;
  for (int turn = 0; turn < 2; ++turn) {
    watch.take();
    watch.start();
    sum += read_some(filled.held, filled.all, at, steps);
    watch.stop();
  }
  report_time(report, {n, P}, "read", watch.take());
  report.answer(static_cast<std::uint64_t>(2 * sum));
}

template <class Contender, std::size_t P>
void measure_churn(const request& wanted, std::size_t n, report& report) {
  full<Contender, P> filled(n);
  const std::size_t steps = wanted.choose(10'000'000U, 500'000U, 1'000U);
  random_keys at(n);
  using box = slots<Contender, element<P>>;
  replace_some<box, element<P>>(filled.held, filled.all, at, steps / 10);
  stopwatch watch;
  watch.start();
  replace_some<box, element<P>>(filled.held, filled.all, at, steps);
  watch.stop();
  filled.check();
  report_time(report, {n, P}, "churn", watch.take());
  report.answer(steps);
}

template <class Contender>
void run_scan(const request& wanted, report& report) {
  for (const std::size_t n : {std::size_t{10}, large(wanted)}) {
    measure_scan<Contender, 1>(wanted, n, report);
    measure_scan<Contender, 10>(wanted, n, report);
    measure_scan<Contender, 100>(wanted, n, report);
  }
}

template <class Contender>
void run_reads(const request& wanted, report& report) {
  for (const std::size_t n : {std::size_t{10}, large(wanted)}) {
    measure_reads<Contender, 1>(wanted, n, report);
    measure_reads<Contender, 10>(wanted, n, report);
    measure_reads<Contender, 100>(wanted, n, report);
  }
}

template <class Contender>
void run_slot_churn(const request& wanted, report& report) {
  measure_churn<Contender, 1>(wanted, large(wanted), report);
  measure_churn<Contender, 10>(wanted, large(wanted), report);
  measure_churn<Contender, 100>(wanted, large(wanted), report);
}

template <class Contender>
void add_slots(std::vector<entry>& all) {
  all.push_back(make_entry<Contender>("scan-column", {1}, run_scan<Contender>));
  all.push_back(make_entry<Contender>("random-access", {1}, run_reads<Contender>));
  if constexpr (can_churn<Contender>())
    all.push_back(make_entry<Contender>("churn", {1}, run_slot_churn<Contender>));
}

}  // namespace bench
