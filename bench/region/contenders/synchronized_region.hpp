// Contender synchronized_region: heapsmith's region behind one lock.
#pragma once

#include "heapsmith/decorators.hpp"
#include "heapsmith/region.hpp"
#include "over_region.hpp"

namespace bench {

class contender : public over_region<heapsmith::synchronized_region> {
 public:
  using over_region::over_region;
  static constexpr const char* name = "synchronized_region";
  static constexpr bool is_thread_safe = true;
};

}  // namespace bench
