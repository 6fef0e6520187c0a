// One contender of `bench region` and all its workloads: containers, random mixes, fill to failure.
//
// usage: region-CONTENDER WORKLOAD [--threads N] [--quick | --short] [--count-instructions]
//        region-CONTENDER --list
//
// report.hpp describes the output. A failed check prints "wrong: …" and exits with 1.
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "region/containers.hpp"
#include "region/counted_steps.hpp"
#include "region/fill.hpp"
#include "region/random.hpp"
#include "support/buffer.hpp"

namespace {

using bench::facts;

struct options {
  std::string_view workload;
  unsigned threads = 1;
  bench::effort effort = bench::full_effort;
  bool count_instructions = false;
};

[[noreturn]] void refuse(const char* why) {
  std::fprintf(stderr,
               "region-%s: %s\n"
               "usage: region-%s WORKLOAD [--threads 1..100] [--quick | --short] "
               "[--count-instructions]\n"
               "       region-%s --list\n",
               facts.name, why, facts.name, facts.name);
  std::exit(2);
}

options parse(std::span<char*> words) {
  options chosen;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--quick") {
      chosen.effort = bench::quick_effort;
    } else if (word == "--short") {
      chosen.effort = bench::short_effort;
    } else if (word == "--count-instructions") {
      chosen.count_instructions = true;
    } else if (word == "--threads" && i + 1 < words.size()) {
      chosen.threads = static_cast<unsigned>(std::strtoul(words[++i], nullptr, 10));
    } else if (chosen.workload.empty() && !word.starts_with("-")) {
      chosen.workload = word;
    } else {
      refuse("unknown argument");
    }
  }
  if (chosen.threads < 1 || chosen.threads > 100) refuse("--threads takes 1 to 100");
  if (chosen.threads > 1 && !facts.is_thread_safe) refuse("this contender is not thread-safe");
  return chosen;
}

// The buffer, unless the contender has memory of its own and only needs to know how much.
class memory {
 public:
  explicit memory(std::size_t bytes) : buffer_(facts.uses_buffer ? bytes : 1), bytes_(bytes) {}

  std::span<std::byte> span() const { return {buffer_.memory().data(), bytes_}; }

 private:
  bench::buffer buffer_;
  std::size_t bytes_;
};

bool run_container(const options& chosen, bench::report& report) {
  for (const auto& workload : bench::container_workloads()) {
    if (workload.name != chosen.workload) continue;
    const memory memory(bench::container_bytes(workload.name, chosen.effort.counts.back()));
    const auto subject = bench::make_contender(memory.span());
    bench::run_container(workload, *subject, chosen.effort, report);
    return true;
  }
  return false;
}

bool run_random(const options& chosen, bench::report& report) {
  const auto mix = bench::mix_name::parse(chosen.workload);
  if (!mix) return false;
  const memory memory(chosen.effort.mix_bytes);
  if (chosen.count_instructions) {
    bench::run_counted(*mix, memory.span(), chosen.effort, report);
  } else {
    const auto subject = bench::make_contender(memory.span());
    bench::run_random(*mix, *subject, chosen.effort, chosen.threads, report);
  }
  return true;
}

bool run_fill(const options& chosen, bench::report& report) {
  for (const std::string_view sizes : bench::distribution::names) {
    if (chosen.workload != "fill-" + std::string(sizes)) continue;
    if (!facts.uses_buffer) refuse("this contender has no buffer to fill");
    const memory memory(bench::fill_buffer_bytes);
    bench::run_fill(bench::distribution(sizes), memory.span(), chosen.effort, report);
    return true;
  }
  return false;
}

// The names of all workloads this contender can run.
void list() {
  for (const auto& workload : bench::container_workloads()) {
    std::printf("%.*s\n", static_cast<int>(workload.name.size()), workload.name.data());
  }
  for (const std::string_view sizes : bench::distribution::names) {
    const int length = static_cast<int>(sizes.size());
    for (const int occupancy : {50, 80, 95}) {
      std::printf("random-%.*s-%d\n", length, sizes.data(), occupancy);
    }
    if (facts.uses_buffer) std::printf("fill-%.*s\n", length, sizes.data());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list") {
    list();
    return 0;
  }
  const options chosen = parse({argv + 1, argv + argc});
  std::printf("contender %s\nversion %s\n", facts.name, bench::version().c_str());
  bench::report report;
  if (!run_container(chosen, report) && !run_random(chosen, report) && !run_fill(chosen, report)) {
    refuse("no such workload");
  }
  report.finish();
  return std::fflush(stdout) == 0 ? 0 : 1;
}
