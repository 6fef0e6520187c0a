// The random mixes: the time of a stretch of steps, and the times of its slowest calls.
#pragma once

#include <barrier>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "effort.hpp"
#include "player.hpp"
#include "script.hpp"
#include "support/measure.hpp"
#include "support/report.hpp"

namespace bench {

// random-<distribution>-<occupancy in per cent>
struct mix_name {
  std::string_view sizes;
  std::size_t per_cent;

  static std::optional<mix_name> parse(std::string_view name) {
    constexpr std::string_view prefix = "random-";
    const std::size_t dash = name.rfind('-');
    if (!name.starts_with(prefix) || dash < prefix.size()) return std::nullopt;
    mix_name parsed{name.substr(prefix.size(), dash - prefix.size()), 0};
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + dash + 1, end, parsed.per_cent);
    const bool known = std::find(distribution::names.begin(), distribution::names.end(),
                                 parsed.sizes) != distribution::names.end();
    if (read.ec != std::errc() || read.ptr != end || parsed.per_cent > 100 || !known) {
      return std::nullopt;
    }
    return parsed;
  }
};

// Records the time of each call of the contender, in ticks.
class call_timer {
 public:
  explicit call_timer(std::size_t calls) { taken_.reserve(calls); }

  template <class Call>
  void operator()(Call call) {
    const std::uint64_t begin = ticks();
    call();
    const std::uint64_t taken = ticks() - begin;
    taken_.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(taken, ~0u)));
  }

  std::vector<std::uint32_t>& taken() { return taken_; }

 private:
  std::vector<std::uint32_t> taken_;
};

// The part of one thread: its own script, within its share of the occupied bytes.
class lane {
 public:
  lane(contender& played, const mix_name& mix, const effort& effort, unsigned threads,
       unsigned number)
      : timed_(effort.timed_steps / threads),
        latency_(effort.latency_steps / threads),
        checked_(effort.checked_steps / threads),
        script_(distribution(mix.sizes), effort.mix_bytes / 100 * mix.per_cent / threads,
                timed_ + latency_ + checked_, number),
        player_(played, script_.slots()),
        timer_(latency_) {}

  void fill() { player_.play<marks::full>(script_.until_aged()); }

  void run_timed() {
    begin_s_ = seconds_now();
    player_.play<marks::light>(script_.then(0, timed_));
    end_s_ = seconds_now();
  }

  void run_latency() {
    const double begin_s = seconds_now();
    const std::uint64_t begin = ticks();
    player_.play<marks::light>(script_.then(timed_, latency_), timer_);
    ns_per_tick_ = (seconds_now() - begin_s) * 1e9 / static_cast<double>(ticks() - begin);
  }

  void run_checked() {
    player_.play<marks::full>(script_.then(timed_ + latency_, checked_));
    player_.end();
  }

  double begin_s() const { return begin_s_; }
  double end_s() const { return end_s_; }
  double ns_per_tick() const { return ns_per_tick_; }
  std::vector<std::uint32_t>& taken() { return timer_.taken(); }
  const player& played() const { return player_; }

 private:
  std::size_t timed_;
  std::size_t latency_;
  std::size_t checked_;
  script script_;
  player player_;
  call_timer timer_;
  double begin_s_ = 0;
  double end_s_ = 0;
  double ns_per_tick_ = 0;
};

// The phases of all lanes begin together. With one lane the process stays single-threaded.
inline void run_lanes(std::span<const std::unique_ptr<lane>> lanes) {
  std::barrier<> together(static_cast<std::ptrdiff_t>(lanes.size()));
  const auto run = [&](lane& lane) {
    lane.fill();
    together.arrive_and_wait();
    lane.run_timed();
    together.arrive_and_wait();
    lane.run_latency();
    together.arrive_and_wait();
    lane.run_checked();
  };
  std::vector<std::thread> threads;
  for (const auto& each : lanes.subspan(1)) threads.emplace_back(run, std::ref(*each));
  run(*lanes.front());
  for (std::thread& thread : threads) thread.join();
}

inline void run_random(const mix_name& mix, contender& timed, const effort& effort,
                       unsigned threads, report& report) {
  std::vector<std::unique_ptr<lane>> lanes;
  for (unsigned number = 0; number < threads; ++number) {
    lanes.push_back(std::make_unique<lane>(timed, mix, effort, threads, number));
  }
  run_lanes(lanes);

  double begin_s = lanes.front()->begin_s();
  double end_s = lanes.front()->end_s();
  std::uint64_t refused = 0;
  std::vector<std::uint32_t> taken;
  for (const auto& each : lanes) {
    begin_s = std::min(begin_s, each->begin_s());
    end_s = std::max(end_s, each->end_s());
    refused += each->played().refused();
    taken.insert(taken.end(), each->taken().begin(), each->taken().end());
    report.answer(each->played().answer());
  }
  const std::uint64_t nothing = ticks_of_nothing();
  const std::uint64_t slow = quantile(taken, 999, 1000);
  const double ns =
      lanes.front()->ns_per_tick() * static_cast<double>(slow - std::min(slow, nothing));
  report.value("wall_s", "threads", threads, end_s - begin_s);
  report.value("p999_ns", "threads", threads, ns);
  report.value("refused", "threads", threads, static_cast<double>(refused));
}

}  // namespace bench
