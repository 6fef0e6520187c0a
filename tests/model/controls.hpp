// Negative controls: every memory order of a protocol is weakened in turn, and some case must
// notice.
#pragma once

#include "checker/model.hpp"

#include <set>
#include <string>
#include <vector>

namespace heapsmith::model {

struct protocol_case {
  const char* name;
  void (*body)();
  unsigned spurious_failures = 0;
  // Found out:
  std::uint64_t executions = 0;
  std::set<order_site> sites = {};  // the orders that it uses
};

/// An order that no execution needs, kept for a reason. `code` is part of its source line.
struct spare_order {
  const char* code;
  const char* why;
};

/// The next weaker orders: what a site's order may be replaced by, each of which gives up
/// something.
std::vector<std::memory_order> weaker(std::memory_order o);

/// Runs the cases as they are; they must pass. Prints what was explored.
void expect_all_pass(std::vector<protocol_case>& cases);

/// For each order in the named source files: every weaker one must fail at least one of the cases,
/// or all pass and the order is listed as spare; and no order stronger than relaxed may stand on a
/// line that no case reaches.
void expect_orders_needed(std::vector<protocol_case> cases,
                          const std::set<std::string>& source_files,
                          const std::vector<spare_order>& spares = {});

}  // namespace heapsmith::model
