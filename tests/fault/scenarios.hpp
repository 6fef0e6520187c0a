// Scenarios: the work of a program while the OS refuses. Each is swept through all its calls.
#pragma once

#include <ostream>
#include <span>

#include "world.hpp"

namespace heapsmith::fault {

struct scenario {
  const char* name;
  void (*before)(world&);   // with nothing refused
  void (*act)(world&);      // while the plan holds
  bool is_refused = false;  // a limit refuses some of it, whatever the OS does
  bool starts_threads = false;
};

std::span<const scenario> scenarios();

/// The name of a scenario, for GoogleTest.
inline void PrintTo(const scenario& s, std::ostream* out) {
  *out << s.name;
}

}  // namespace heapsmith::fault
