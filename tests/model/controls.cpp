// Runs protocol cases with one memory order weakened at a time.
#include "controls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <regex>

namespace heapsmith::model {

std::vector<std::memory_order> weaker(std::memory_order o) {
  switch (o) {
    case std::memory_order_seq_cst: return {std::memory_order_acq_rel};
    case std::memory_order_acq_rel: return {std::memory_order_acquire, std::memory_order_release};
    case std::memory_order_acquire:
    case std::memory_order_consume:
    case std::memory_order_release: return {std::memory_order_relaxed};
    case std::memory_order_relaxed: break;
  }
  return {};
}

namespace {

/// The lines of a source file whose code, comments aside, names an order stronger than relaxed.
std::set<std::uint_least32_t> ordered_lines(const std::string& path) {
  static const std::regex order(R"(\b(acquire|release|acq_rel|seq_cst)\s*[,)])");
  std::set<std::uint_least32_t> lines;
  std::ifstream in(path);
  EXPECT_TRUE(in.is_open()) << path;
  std::string text;
  for (std::uint_least32_t line = 1; std::getline(in, text); ++line)
    if (std::regex_search(text.substr(0, text.find("//")), order)) lines.insert(line);
  return lines;
}

void expect_all_lines_reached(const std::string& source, const std::set<order_site>& sites) {
  std::set<std::uint_least32_t> reached;
  for (const order_site& s : sites)
    if (s.file == file_of(source.c_str())) reached.insert(s.line);
  for (const auto line : ordered_lines(std::string(HEAPSMITH_SOURCE_DIR) + "/" + source)) {
    // A call may span two lines; the compiler names the first.
    EXPECT_TRUE(reached.count(line) + reached.count(line - 1) > 0)
        << source << ":" << line << " has a memory order that no case reaches";
  }
}

/// How a case of the weakened protocol fails; empty when none does.
std::string caught_by(const std::vector<protocol_case>& cases, const weakening& w) {
  for (const protocol_case& c : cases) {
    const result r = explore(c.body, {.spurious_failures = c.spurious_failures, .weaken = &w});
    if (r.failed) return std::string(c.name) + ": " + r.what;
  }
  return {};
}

}  // namespace

std::set<order_site> expect_all_pass(std::vector<protocol_case>& cases) {
  std::set<order_site> sites;
  for (protocol_case& c : cases) {
    const result r = explore(c.body, {.spurious_failures = c.spurious_failures, .sites = &sites});
    c.executions = r.executions;
    EXPECT_FALSE(r.failed) << c.name << ": " << r.what << "\n" << r.trace;
    std::cout << "  " << c.name << ": " << r.executions << " executions, " << r.states
              << " states" << std::endl;
  }
  return sites;
}

void expect_orders_needed(std::vector<protocol_case> cases,
                          const std::set<std::string>& source_files) {
  const std::set<order_site> sites = expect_all_pass(cases);
  if (testing::Test::HasFailure()) return;
  // The smallest case that notices is the one to read about.
  std::sort(cases.begin(), cases.end(),
            [](const auto& a, const auto& b) { return a.executions < b.executions; });
  unsigned weakened = 0;
  for (const std::string& source : source_files) {
    expect_all_lines_reached(source, sites);
    for (const order_site& s : sites) {
      if (s.file != file_of(source.c_str())) continue;
      for (const std::memory_order to : weaker(s.order)) {
        const std::string how = caught_by(cases, {s, to});
        EXPECT_FALSE(how.empty()) << to_string(s) << " weakened to " << name_of(to)
                                  << " is not noticed: the order is too strong or a case is missing";
        std::cout << "  " << to_string(s) << " -> " << name_of(to) << ": " << how << std::endl;
        ++weakened;
      }
    }
  }
  EXPECT_GT(weakened, 0u);
}

}  // namespace heapsmith::model
