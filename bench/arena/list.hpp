// list-int16: a list of 100,000 elements is filled; then, 1000 times, every element is incremented,
// the first one is removed and one is appended; then the list and its memory end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "support/buffer.hpp"
#include "support/lanes.hpp"
#include "support/report.hpp"
#include "support/suite.hpp"

namespace bench {

template <class Contender>
class list_lane {
  using memory = typename Contender::memory;
  using allocator = decltype(std::declval<memory&>().template of<std::int16_t>());
  using list = std::list<std::int16_t, allocator>;

 public:
  static constexpr unsigned phases = 3;

  list_lane() : buffer_(buffer_bytes) {}

  /// One list from its beginning to its end, in three phases.
  void run(lanes& all, unsigned phase, unsigned rounds) {
    all.timed(phase, [this] { fill(); });
    check(0);
    all.timed(phase + 1, [this, rounds] { work(rounds); });
    check(rounds);
    all.timed(phase + 2, [this] { end(); });
  }

 private:
  static constexpr std::size_t length = 100'000;
  static constexpr std::size_t buffer_bytes = 4 << 20;  // for limit: more than all nodes there are

  static constexpr std::int16_t value(std::size_t number) {
    return static_cast<std::int16_t>(number % 1000);
  }

  // Separate functions, since GCC treats code that main calls once as cold.
  [[gnu::noinline]] void fill() {
    if (!memory_) memory_.emplace(buffer_.memory());
    values_.emplace(memory_->template of<std::int16_t>());
    for (std::size_t i = 0; i < length; ++i) values_->push_back(value(i));
    keep(*values_);
  }

  [[gnu::noinline]] void work(unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round) {
      for (std::int16_t& each : *values_) ++each;
      values_->erase(values_->begin());
      values_->push_back(value(length + round));
    }
    keep(*values_);
  }

  [[gnu::noinline]] void end() {
    values_.reset();
    if constexpr (requires { memory_->renew(); })
      memory_->renew();
    else
      memory_.reset();
  }

  /// Element `i` was incremented in each round since it was appended.
  void check(unsigned rounds) const {
    std::size_t i = rounds;
    for (const std::int16_t found : *values_) {
      const std::size_t missed = i < length ? 0 : i - length + 1;
      expect(i < length + rounds && found == value(i) + static_cast<int>(rounds - missed),
             "an element changed while it was in the list");
      ++i;
    }
    expect(i == length + rounds, "the list lost elements");
  }

  buffer buffer_;
  std::optional<memory> memory_;
  std::optional<list> values_;
};

template <class Contender>
void run_list(const request& wanted, report& report) {
  const unsigned rounds = wanted.choose(1000U, 40U, 3U);
  // First shorter turns, which are not reported: allocators get their memory, and keep it if they
  // can. An arena keeps one piece and has used all of its OS pages after the third turn.
  using lane = list_lane<Contender>;
  constexpr unsigned turns = 4;
  lanes all(wanted.threads, turns * lane::phases);
  all.run([&](unsigned) {
    lane own;
    for (unsigned turn = 0; turn < turns; ++turn)
      own.run(all, turn * lane::phases, turn == turns - 1 ? rounds : 1);
  });
  const auto seconds = [&](unsigned phase) {
    return all.seconds((turns - 1) * lane::phases + phase);
  };
  report.value("push_s", "threads", wanted.threads, seconds(0));
  report.value("wall_s", "threads", wanted.threads, seconds(0) + seconds(1) + seconds(2));
  report.answer(rounds);
}

template <class Contender>
entry list_entry() {
  return make_entry<Contender>("list-int16", {1, 5, 10}, run_list<Contender>);
}

}  // namespace bench
