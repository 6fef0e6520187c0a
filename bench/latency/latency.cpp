// The suite `latency`: how long single calls take.
//
// usage: latency SCRIPT [--quick]     SCRIPT: mixed, peaks, large
//
// A script is a fixed sequence of calls. Five child processes run it one after the other, each from
// the same state of the heap, and time each call. The quantiles of a run are those of its calls.
// The worst call is the maximum over the calls of the shortest of their five times: the
// scheduler or an interrupt delays a call in one run, but not in all five. A sixth child
// counts the instructions of the calls that took longest, and of some others.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "latency/scripts.hpp"
#include "support/measure.hpp"
#include "support/report.hpp"
#include "support/resident.hpp"
#include "support/step_counter.hpp"

namespace {

constexpr int runs = 5;
constexpr std::size_t most_calls = 1 << 20;
constexpr int parts[] = {500, 990, 999};  // of a thousand
constexpr const char* names[] = {"p50_ns", "p99_ns", "p999_ns"};

// The child processes write it, and their parent reads it.
struct told {
  std::size_t calls;
  std::uint64_t answer;
  double ns_per_tick;
  std::uint32_t ticks[runs][std::size(parts)];
  std::uint64_t worst_instructions;
};

struct times {
  bench::mapped_array<std::uint32_t> taken{most_calls};     // by call, in the current run
  bench::mapped_array<std::uint32_t> shortest{most_calls};  // by call, of all runs
  bench::mapped_array<told> about{1};
};

// Runs `work` in a child process. False: it ended badly.
template <class Work>
bool in_child(Work work) {
  const pid_t child = fork();
  bench::expect(child >= 0, "no child process");
  if (child == 0) {
    work();
    std::_Exit(0);
  }
  int status = 0;
  bench::expect(waitpid(child, &status, 0) == child, "the child process is lost");
  return status == 0;
}

void run_timed(const bench::script& script, int run, times& all) {
  told& about = all.about[0];
  std::size_t calls = 0;
  const double begin_s = bench::seconds_now();
  const std::uint64_t begin = bench::ticks();
  about.answer = script.play([&](auto call) {
    const std::uint64_t before = bench::ticks();
    call();
    const std::uint64_t taken = bench::ticks() - before;
    bench::expect(calls < most_calls, "the script is too long");
    all.taken[calls++] = static_cast<std::uint32_t>(std::min<std::uint64_t>(taken, ~0u));
  });
  about.ns_per_tick =
      (bench::seconds_now() - begin_s) * 1e9 / static_cast<double>(bench::ticks() - begin);
  about.calls = calls;
  const auto nothing = static_cast<std::uint32_t>(bench::ticks_of_nothing());
  for (std::size_t i = 0; i < calls; ++i) {
    std::uint32_t& taken = all.taken[i];
    taken -= std::min(taken, nothing);
    std::uint32_t& shortest = all.shortest[i];
    shortest = run == 0 ? taken : std::min(shortest, taken);
  }
  const auto sorted = all.taken.all().first(calls);
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    about.ticks[run][i] = sorted[(calls - 1) * static_cast<std::size_t>(parts[i]) / 1000];
  }
}

void run_counted(const bench::script& script, std::size_t count, times& all) {
  told& about = all.about[0];
  const auto shortest = all.shortest.all().first(about.calls);
  const std::vector<bool> chosen = bench::chosen_calls(shortest, count);
  bench::step_counter counter;
  std::size_t number = 0;
  script.play([&](auto call) {
    if (!chosen[number++]) return call();
    about.worst_instructions = std::max(about.worst_instructions, counter.count(call));
  });
}

void print(const char* metric, double value) {
  std::printf("value %s %.9g\n", metric, value);
}

void print_times(times& all) {
  const told& about = all.about[0];
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    std::uint32_t each[runs];
    for (int run = 0; run < runs; ++run) each[run] = about.ticks[run][i];
    std::sort(std::begin(each), std::end(each));
    print(names[i], about.ns_per_tick * each[runs / 2]);
  }
  const auto shortest = all.shortest.all().first(about.calls);
  print("worst_ns", about.ns_per_tick * *std::max_element(shortest.begin(), shortest.end()));
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_quick = argc == 3 && std::string_view(argv[2]) == "--quick";
  if (argc < 2 || !bench::script::is_known(argv[1]) || argc > (is_quick ? 3 : 2)) {
    std::fputs("usage: latency mixed|peaks|large [--quick]\n", stderr);
    return 2;
  }
  const bench::script script(argv[1], is_quick);
  times all;
  std::uint64_t answer = 0;
  for (int run = 0; run < runs; ++run) {
    bench::expect(in_child([&] { run_timed(script, run, all); }), "a timed run ended badly");
    bench::expect(run == 0 || answer == all.about[0].answer, "two runs have different answers");
    answer = all.about[0].answer;
  }
  print_times(all);
  const std::size_t counted = is_quick ? 24 : 200;
  const bool is_well = in_child([&] { run_counted(script, counted, all); });
  const std::uint64_t worst = all.about[0].worst_instructions;
  if (is_well && worst < bench::step_counter::most) {
    print("worst_instructions", static_cast<double>(worst));
  } else {
    std::fputs("latency: the instructions of a call cannot be counted\n", stderr);
  }
  bench::report report;
  report.answer(answer);
  report.finish();
  return 0;
}
