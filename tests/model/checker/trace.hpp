// The trace of an execution: one line an operation, printed when a case fails.
#pragma once

#include "checker/call_site.hpp"

#include <vector>

namespace heapsmith::model {

struct event {
  unsigned thread = 0;
  const char* verb = "";
  const char* object = nullptr;  // null for fences
  unsigned object_number = 0;
  std::memory_order order = std::memory_order_relaxed;
  const char* file = "";
  std::uint_least32_t line = 0;
  bool reads = false, writes = false;
  std::uint64_t value_read = 0, value_written = 0;
  unsigned read_from = 0;  // the thread that wrote what was read
  bool stale = false;      // a newer value existed
};

/// The events, oldest first.
std::string to_string(const std::vector<event>& events);

}  // namespace heapsmith::model
