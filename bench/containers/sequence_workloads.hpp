// list, stack, queue: `n` elements are pushed, then all are summed up as they are popped; and the
// keys of a full one are summed up. The container and its memory exist before the measurement.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "containers/sequences.hpp"
#include "workloads/cases.hpp"

namespace bench {

/// Separate functions for every contender, so that their loops are laid out independently.
template <class Box, class E>
[[gnu::noinline]] void push_all(Box& box, std::size_t n) {
  numbered<E> all;
  for (std::size_t i = 0; i < n; ++i) box.push(all.next());
  keep(box);
}

template <class Box>
[[gnu::noinline]] double pop_all(Box& box) {
  double sum = 0;
  while (!box.empty()) sum += box.take();
  return sum;
}

template <class Box>
[[gnu::noinline]] long sum_keys(Box& box) {
  keep(box);
  return box.keys();
}

template <class Box, class E>
void push_and_pop(Box& box, std::size_t n) {
  push_all<Box, E>(box, n);
  expect(pop_all(box) == sum_up_to(n), "popped is not what was pushed");
}

template <class Contender, order Order, std::size_t P>
void measure_sequence(const request& wanted, std::size_t n, report& report) {
  using box = sequence<Contender, Order, element<P>>;
  const size_case what{n, P};
  count_memory<box>(what, n, report, [n](box& fresh) { push_all<box, element<P>>(fresh, n); });
  box held(n);
  push_and_pop<box, element<P>>(held, n);
  const std::size_t rounds = turns(wanted, what);
  report_time(report, what, "push-pop",
              time_of_turn(rounds, [&] { push_and_pop<box, element<P>>(held, n); }));

  push_all<box, element<P>>(held, n);
  const long keys = static_cast<long>(n * (n + 1) / 2);
  expect(sum_keys(held) == keys, "a key changed");
  report_time(report, what, "keys",
              time_of_turn(rounds, [&] { expect(sum_keys(held) == keys, "a key changed"); }));
  expect(pop_all(held) == sum_up_to(n), "an element changed");
}

template <class Contender, order Order>
void run_sequence(const request& wanted, report& report) {
  for (const std::size_t n : {std::size_t{10}, large(wanted)}) {
    measure_sequence<Contender, Order, 1>(wanted, n, report);
    measure_sequence<Contender, Order, 10>(wanted, n, report);
    measure_sequence<Contender, Order, 100>(wanted, n, report);
    report.answer(n);
  }
}

template <class Contender>
void add_sequences(std::vector<entry>& all) {
  all.push_back(make_entry<Contender>("list", {1}, run_sequence<Contender, order::list>));
  all.push_back(make_entry<Contender>("stack", {1}, run_sequence<Contender, order::stack>));
  all.push_back(make_entry<Contender>("queue", {1}, run_sequence<Contender, order::queue>));
}

}  // namespace bench
