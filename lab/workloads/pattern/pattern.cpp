// Workload pattern: allocates in the way that its settings describe.
//
// Idea: the search for cliffs draws settings at random, as fuzzers draw inputs, and compares what
// allocators make of them. Wilson, Johnstone, Neely and Boles, "Dynamic storage allocation: a
// survey and critical review", IWMM 1995, name the features that decide: ramps, peaks and plateaus,
// sizes that change between phases, the order of frees, and objects that outlive their neighbours.
//
// The work has phases. In each one, every thread fills its empty slots, replaces blocks, and frees
// all but a share of them. Odd phases may have other sizes. After the last phase all blocks are
// freed. The program prints what the phases took, then the memory of the process at its peak, after
// the last free, and when the process has been idle.

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <span>
#include <thread>
#include <unistd.h>
#include <vector>

#include "lane.hpp"
#include "memory.hpp"
#include "settings.hpp"

namespace pattern {
namespace {

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

void sleep_ms(std::uint64_t ms) {
  if (ms == 0) return;
  const timespec time = {static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000) * 1'000'000};
  nanosleep(&time, nullptr);
}

class crew {
 public:
  explicit crew(const settings& all)
      : all_(all),
        slots_(all.slots),
        rings_(all.threads),
        results_(all.threads),
        gate_(static_cast<std::ptrdiff_t>(all.threads) + 1),
        middle_(static_cast<std::ptrdiff_t>(all.threads)) {}

  // Runs all phases. Threads that are not renewed sleep until dismiss().
  void run() {
    const bool renews = all_.threads > 1 && all_.renew != 0;
    if (all_.threads > 1 && !renews) hire();
    for (std::uint64_t phase = 0; phase < all_.phases; ++phase) {
      if (phase != 0) sleep_ms(all_.pause_ms);
      const double begin = seconds_now();
      if (all_.threads == 1) {
        run_lane(0, phase);
      } else if (renews) {
        renew(phase);
      } else {
        gate_.arrive_and_wait();
        gate_.arrive_and_wait();
      }
      seconds_ += seconds_now() - begin;
    }
  }

  void dismiss() {
    if (!threads_.empty()) gate_.arrive_and_wait();
    for (std::thread& each : threads_) each.join();
  }

  // Gives the crew's own memory back, so that only the allocator's is left.
  void forget_slots() {
    slots_.forget();
    rings_.forget();
  }

  double seconds() const { return seconds_; }

  result total() const {
    result sum;
    for (const result& each : results_.all()) {
      sum.sum += each.sum;
      sum.calls += each.calls;
    }
    return sum;
  }

 private:
  void hire() {
    threads_.reserve(all_.threads);
    for (std::uint64_t number = 0; number < all_.threads; ++number) {
      threads_.emplace_back([this, number] {
        for (std::uint64_t phase = 0; phase < all_.phases; ++phase) {
          gate_.arrive_and_wait();
          run_lane(number, phase);
          gate_.arrive_and_wait();
        }
        gate_.arrive_and_wait();
      });
    }
  }

  void renew(std::uint64_t phase) {
    std::vector<std::thread> threads;
    threads.reserve(all_.threads);
    for (std::uint64_t number = 0; number < all_.threads; ++number) {
      threads.emplace_back([this, number, phase] { run_lane(number, phase); });
    }
    for (std::thread& each : threads) each.join();
  }

  void run_lane(std::uint64_t number, std::uint64_t phase) {
    const std::uint64_t count = all_.threads;
    const std::span<ring> rings = rings_.all();
    ring* const from = count > 1 ? &rings[number] : nullptr;
    ring* const to = count > 1 ? &rings[(number + 1) % count] : nullptr;
    lane own(all_, number, phase, from, to);
    own.work(part(number + phase * all_.rotate));
    if (count > 1) middle_.arrive_and_wait();
    own.sweep_out(part(number + (phase + 1) * all_.rotate), phase + 1 == all_.phases);
    results_.all()[number].sum += own.done().sum;
    results_.all()[number].calls += own.done().calls;
  }

  std::span<block> part(std::uint64_t number) const {
    const std::uint64_t at = number % all_.threads;
    const std::uint64_t begin = all_.slots * at / all_.threads;
    const std::uint64_t end = all_.slots * (at + 1) / all_.threads;
    return slots_.all().subspan(begin, end - begin);
  }

  const settings& all_;
  mapped_array<block> slots_;
  mapped_array<ring> rings_;
  mapped_array<result> results_;
  std::barrier<> gate_;    // all lanes and main, around each phase
  std::barrier<> middle_;  // all lanes, before they free what others may still send
  std::vector<std::thread> threads_;
  double seconds_ = 0;
};

// Idle but for a few calls: so many blocks are replaced in each tenth of a second.
void idle(const settings& all) {
  if (all.trickle == 0) return sleep_ms(all.idle_ms);
  constexpr std::uint64_t turn_ms = 100, alive = 64;
  source random(all, all.seed + 1);
  const mapped_array<block> kept(alive);
  for (std::uint64_t ms = 0; ms < all.idle_ms; ms += turn_ms) {
    for (std::uint64_t i = 0; i < all.trickle; ++i) {
      block& slot = kept.all()[random.below(alive)];
      if (slot.data != nullptr) slot.retire(random.step());
      slot = random.allocate(false);
    }
    sleep_ms(turn_ms);
  }
  for (block& slot : kept.all())
    if (slot.data != nullptr) slot.retire(random.step());
}

void print(const char* name, double value) {
  dprintf(STDOUT_FILENO, "value %s %.9g\n", name, value);
}

int run(const settings& all) {
  alarm(static_cast<unsigned>(all.timeout_s));
  crew hired(all);
  hired.run();
  const result total = hired.total();
  const double calls = static_cast<double>(std::max<std::uint64_t>(total.calls, 1));
  dprintf(STDOUT_FILENO, "check %016llx\n", static_cast<unsigned long long>(total.sum));
  print("calls", calls);
  print("call_ns", hired.seconds() * 1e9 / calls);
  print("peak_rss_bytes", static_cast<double>(peak_rss()));
  hired.forget_slots();
  print("rss_freed_bytes", static_cast<double>(current_rss()));
  if (all.idle_ms != 0) {
    idle(all);
    print("rss_idle_bytes", static_cast<double>(current_rss()));
  }
  hired.dismiss();
  return 0;
}

}  // namespace
}  // namespace pattern

int main(int argc, char** argv) {
  return pattern::run(pattern::parse(argc, argv));
}
