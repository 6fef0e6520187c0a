// Workloads over sequences: vector, deque, list, and a list of strings of more than 16 KiB.
//
// A scenario fills its container, times one phase and checks the contents. It returns a sum of the
// elements, which must not depend on the allocator. Elements are read when they are
// popped, as programs do.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "allocator.hpp"
#include "support/measure.hpp"
#include "support/report.hpp"

namespace bench {

// One element for each number; the number can be read back from it.
class integers {
 public:
  using element = std::int64_t;

  explicit integers(contender&) {}

  template <class Sequence>
  void push(Sequence& sequence, std::uint64_t number) {
    sequence.push_back(static_cast<element>(number));
  }

  static std::uint64_t number(const element& value) { return static_cast<std::uint64_t>(value); }
};

// Strings that begin and end with their number. Every fourth is one byte longer than those before.
class big_strings {
 public:
  using element = std::basic_string<char, std::char_traits<char>, allocator<char>>;

  explicit big_strings(contender& from) : model_(least_bytes, 'a', allocator<char>(from)) {}

  template <class Sequence>
  void push(Sequence& sequence, std::uint64_t number) {
    if (number % 4 == 1) model_ += 'b';
    sequence.push_back(model_);
    element& added = sequence.back();
    std::memcpy(added.data(), &number, sizeof number);
    std::memcpy(added.data() + added.size() - sizeof number, &number, sizeof number);
  }

  // Both ends must agree and the letters between them must be the model's: two of them are looked
  // at, as reading all would take longer than the allocator does.
  static std::uint64_t number(const element& value) {
    std::uint64_t first;
    std::uint64_t last;
    std::memcpy(&first, value.data(), sizeof first);
    std::memcpy(&last, value.data() + value.size() - sizeof last, sizeof last);
    expect(first == last && value[8] == 'a' && value.size() >= least_bytes,
           "a string changed while it was in the list");
    return first;
  }

 private:
  static constexpr std::size_t least_bytes = 16 * 1024 + 1;

  element model_;
};

template <class Elements, template <class, class> class Container>
struct sequence_scenarios {
  using element = typename Elements::element;
  using sequence = Container<element, allocator<element>>;

  static std::uint64_t push(contender& from, std::size_t count, stopwatch& watch) {
    sequence pushed{allocator<element>(from)};
    Elements made(from);
    watch.start();
    for (std::size_t i = 0; i < count; ++i) made.push(pushed, i);
    keep(pushed);
    watch.stop();
    return sum_in_order(pushed, 0, 1);
  }

  static std::uint64_t pop(contender& from, std::size_t count, stopwatch& watch) {
    sequence popped{allocator<element>(from)};
    Elements made(from);
    for (std::size_t i = 0; i < count; ++i) made.push(popped, i);
    std::uint64_t sum = 0;
    watch.start();
    while (!popped.empty()) {
      sum += Elements::number(popped.front());
      popped.pop_front();
    }
    keep(sum);
    watch.stop();
    expect(sum == count * (count - 1) / 2, "the popped elements are not those pushed");
    return sum;
  }

  // Two pushed, one popped.
  static std::uint64_t mixed(contender& from, std::size_t count, stopwatch& watch) {
    sequence mixed{allocator<element>(from)};
    Elements made(from);
    std::uint64_t sum = 0;
    watch.start();
    for (std::size_t i = 0; i < count; ++i) {
      made.push(mixed, i);
      if (i % 2 == 1) {
        sum += Elements::number(mixed.front());
        mixed.pop_front();
      }
    }
    keep(mixed);
    watch.stop();
    const std::uint64_t half = count / 2;
    expect(sum == half * (half - 1) / 2, "the popped elements are not those pushed");
    return sum + sum_in_order(mixed, half, 1);
  }

 private:
  // The elements must be first, first + step, …
  static std::uint64_t sum_in_order(const sequence& values, std::uint64_t first,
                                    std::uint64_t step) {
    std::uint64_t sum = 0;
    for (const element& value : values) {
      expect(Elements::number(value) == first, "an element changed while it was in a container");
      sum += first;
      first += step;
    }
    return sum;
  }
};

}  // namespace bench
