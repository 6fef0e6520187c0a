// The command line of the suites' programs: selects a run by its contender and workload.
//
// usage: SUITE CONTENDER WORKLOAD [--threads N] [--quick | --short]
//        SUITE --list
//
// The list has a line for each run: workload, contender, threads. report.hpp describes the output.
// A failed check prints "wrong: …" and exits with 1.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/report.hpp"

namespace bench {

/// The amount of work of a run: the whole workload, a part of it, or the little that a test does.
enum class effort { whole, quick, brief };

struct request {
  effort how_much = effort::whole;
  unsigned threads = 1;

  template <class T>
  constexpr T choose(T whole, T quick, T brief) const {
    return how_much == effort::whole ? whole : how_much == effort::quick ? quick : brief;
  }
};

/// One contender in one workload.
struct entry {
  std::string workload;
  std::string_view contender;
  std::string (*version)();
  std::vector<unsigned> threads;
  void (*run)(const request&, report&);
  bool is_listed = true;
};

/// A negative control: a contender that must fail.
template <class Contender>
concept faulty = requires { Contender::is_faulty; };

/// Requires: `Contender` has a name and a version().
template <class Contender>
entry make_entry(std::string workload, std::vector<unsigned> threads,
                 void (*run)(const request&, report&)) {
  return {std::move(workload), Contender::name, &Contender::version, std::move(threads), run,
          !faulty<Contender>};
}

class suite {
 public:
  suite(const char* name, std::vector<entry> entries) : name_(name), entries_(std::move(entries)) {}

  int main(int argc, char** argv) const {
    const std::span<char*> words(argv + 1, static_cast<std::size_t>(argc - 1));
    if (words.size() == 1 && std::string_view(words[0]) == "--list") return list();
    if (words.size() < 2) refuse("missing contender or workload");
    request wanted;
    for (std::size_t i = 2; i < words.size(); ++i) {
      const std::string_view word = words[i];
      if (word == "--quick")
        wanted.how_much = effort::quick;
      else if (word == "--short")
        wanted.how_much = effort::brief;
      else if (word == "--threads" && i + 1 < words.size())
        wanted.threads = static_cast<unsigned>(std::strtoul(words[++i], nullptr, 10));
      else
        refuse("unknown argument");
    }
    return run(find(words[0], words[1], wanted.threads), wanted);
  }

 private:
  static int run(const entry& found, const request& wanted) {
    const int length = static_cast<int>(found.contender.size());
    std::printf("contender %.*s\nversion %s\n", length, found.contender.data(),
                found.version().c_str());
    report report;
    found.run(wanted, report);
    report.finish();
    return std::fflush(stdout) == 0 ? 0 : 1;
  }

  const entry& find(std::string_view contender, std::string_view workload, unsigned threads) const {
    for (const entry& each : entries_) {
      if (each.contender != contender || each.workload != workload) continue;
      for (const unsigned known : each.threads)
        if (known == threads) return each;
    }
    refuse("no such contender, workload and number of threads; see --list");
  }

  int list() const {
    for (const entry& each : entries_) {
      if (!each.is_listed) continue;
      for (const unsigned threads : each.threads)
        std::printf("%s %.*s %u\n", each.workload.c_str(), static_cast<int>(each.contender.size()),
                    each.contender.data(), threads);
    }
    return std::fflush(stdout) == 0 ? 0 : 1;
  }

  [[noreturn]] void refuse(const char* why) const {
    std::fprintf(stderr,
                 "%s: %s\nusage: %s CONTENDER WORKLOAD [--threads N] [--quick | --short]\n"
                 "       %s --list\n",
                 name_, why, name_, name_);
    std::exit(2);
  }

  const char* name_;
  std::vector<entry> entries_;
};

}  // namespace bench
