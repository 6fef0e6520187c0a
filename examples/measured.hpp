// The main() that the examples share: it prints or measures the results of both forms. An example
// that is copied needs none of it.
//
// usage: EXAMPLE                                                    prints the results
//        EXAMPLE CONTENDER WORKLOAD [--quick | --short] or --list   as in bench/support/suite.hpp
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <gnu/libc-version.h>

#include "support/measure.hpp"
#include "support/suite.hpp"

namespace example {

/// A line of the output. If it is `same`, both forms and both languages must agree on it.
struct result {
  const char* name;
  std::uint64_t number;
  bool same = true;
};
using results = std::vector<result>;

/// How much an example does: in a measurement, and without arguments.
struct sizes {
  std::size_t measured, shown;
};

inline double peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024;
  bench::fail("no VmHWM in /proc/self/status");
}

template <results (*Play)(std::size_t), sizes Sizes>
void measure(const bench::request& request, bench::report& report) {
  bench::stopwatch watch;
  watch.start();
  const results got = Play(request.choose(Sizes.measured, Sizes.measured / 4, Sizes.shown));
  watch.stop();
  report.value("wall_s", "threads=1", watch.take());
  report.value("peak_rss_bytes", "threads=1", peak_rss_bytes());
  for (const auto& [name, number, same] : got)
    if (same)
      report.answer(number);
    else
      report.value(name, "threads=1", static_cast<double>(number));
}

inline std::string libc_version() {
  return gnu_get_libc_version();
}

/// The build of the suite says which version of heapsmith it measures.
inline std::string version() {
#ifdef EXAMPLE_VERSION
  return EXAMPLE_VERSION;
#else
  return "unknown";
#endif
}

/// Prints the results of heapsmith's form. Returns: 0 if the std form has the same.
inline int show(const results& ours, const results& theirs) {
  bool agree = ours.size() == theirs.size();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (!ours[i].same) continue;
    std::printf("%s: %llu\n", ours[i].name, static_cast<unsigned long long>(ours[i].number));
    agree = agree && ours[i].number == theirs[i].number;
  }
  if (!agree) std::printf("the two forms differ\n");
  return agree ? 0 : 1;
}

/// The main function of an example, of both its forms.
template <results (*Std)(std::size_t), results (*Heapsmith)(std::size_t), sizes Sizes>
int main(const char* workload, int argc, char** argv) {
  if (argc == 1) return show(Heapsmith(Sizes.shown), Std(Sizes.shown));
  return bench::suite(workload, {{workload, "std", libc_version, {1}, measure<Std, Sizes>},
                                 {workload, "heapsmith", version, {1}, measure<Heapsmith, Sizes>}})
      .main(argc, argv);
}

}  // namespace example
