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
    case std::memory_order_seq_cst:
      return {std::memory_order_acq_rel};
    case std::memory_order_acq_rel:
      return {std::memory_order_acquire, std::memory_order_release};
    case std::memory_order_acquire:
    case std::memory_order_consume:
    case std::memory_order_release:
      return {std::memory_order_relaxed};
    case std::memory_order_relaxed:
      break;
  }
  return {};
}

namespace {

std::vector<std::string> lines_of(const std::string& source) {
  std::ifstream in(std::string(HEAPSMITH_SOURCE_DIR) + "/" + source);
  EXPECT_TRUE(in.is_open()) << source;
  std::vector<std::string> lines{""};  // counted from 1
  for (std::string text; std::getline(in, text);) lines.push_back(text);
  return lines;
}

/// Fails for each line whose code, comments aside, names an order stronger than relaxed that no
/// case used.
void expect_all_lines_reached(const std::string& source, const std::vector<std::string>& lines,
                              const std::set<order_site>& sites) {
  static const std::regex order(R"(\b(acquire|release|acq_rel|seq_cst)\s*[,)])");
  for (std::size_t n = 1; n < lines.size(); ++n) {
    if (!std::regex_search(lines[n].substr(0, lines[n].find("//")), order)) continue;
    // A call may span two lines; the compiler names the first.
    EXPECT_TRUE(std::any_of(sites.begin(), sites.end(),
                            [&](const order_site& s) {
                              return s.file == file_of(source.c_str()) &&
                                     (s.line == n || s.line + 1 == n);
                            }))
        << source << ":" << n << " has a memory order that no case reaches";
  }
}

const spare_order* find_spare(const std::vector<spare_order>& spares, const std::string& line) {
  for (const spare_order& s : spares)
    if (line.find(s.code) != std::string::npos) return &s;
  return nullptr;
}

/// How a case of the weakened protocol fails; empty when none does. A case that does not use the
/// order runs as before, and has passed.
std::string caught_by(const std::vector<protocol_case>& cases, const weakening& w) {
  for (const protocol_case& c : cases) {
    if (!c.sites.contains(w.site)) continue;
    const result r = explore(c.body, {.spurious_failures = c.spurious_failures, .weaken = &w});
    if (r.failed) return std::string(c.name) + ": " + r.what;
  }
  return {};
}

}  // namespace

void expect_all_pass(std::vector<protocol_case>& cases) {
  for (protocol_case& c : cases) {
    const result r = explore(c.body, {.spurious_failures = c.spurious_failures, .sites = &c.sites});
    c.executions = r.executions;
    EXPECT_FALSE(r.failed) << c.name << ": " << r.what << "\n" << r.trace;
    std::cout << "  " << c.name << ": " << r.executions << " executions, " << r.states << " states"
              << std::endl;
  }
}

void expect_orders_needed(std::vector<protocol_case> cases,
                          const std::set<std::string>& source_files,
                          const std::vector<spare_order>& spares) {
  expect_all_pass(cases);
  if (testing::Test::HasFailure()) return;
  std::set<order_site> sites;
  for (const protocol_case& c : cases) sites.insert(c.sites.begin(), c.sites.end());
  // The smallest case that notices is the one to read about.
  std::sort(cases.begin(), cases.end(),
            [](const auto& a, const auto& b) { return a.executions < b.executions; });
  std::set<const spare_order*> unused;
  for (const spare_order& s : spares) unused.insert(&s);
  for (const std::string& source : source_files) {
    const std::vector<std::string> lines = lines_of(source);
    expect_all_lines_reached(source, lines, sites);
    for (const order_site& s : sites) {
      if (s.file != file_of(source.c_str())) continue;
      const spare_order* const spare = find_spare(spares, lines.at(s.line));
      for (const std::memory_order to : weaker(s.order)) {
        const std::string how = caught_by(cases, {s, to});
        unused.erase(spare);
        EXPECT_EQ(how.empty(), spare != nullptr)
            << to_string(s) << " weakened to " << name_of(to)
            << (spare != nullptr ? " is noticed: it is no spare order any more"
                                 : " is not noticed: the order is too strong or a case is missing");
        std::cout << "  " << to_string(s) << " -> " << name_of(to) << ": "
                  << (how.empty() && spare != nullptr ? spare->why : how) << std::endl;
      }
    }
  }
  for (const spare_order* s : unused) ADD_FAILURE() << "no such spare order: " << s->code;
}

}  // namespace heapsmith::model
