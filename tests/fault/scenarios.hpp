// What a program does while the OS refuses: each scenario is swept through all its calls.
#pragma once

#include <span>

#include "world.hpp"

namespace heapsmith::fault {

struct scenario {
  const char* name;
  void (*before)(world&);  // with nothing refused
  void (*act)(world&);     // while the plan holds
};

std::span<const scenario> scenarios();

}  // namespace heapsmith::fault
