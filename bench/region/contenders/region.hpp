// Contender region: heapsmith's region over the buffer.
#pragma once

#include "heapsmith/region.hpp"
#include "over_region.hpp"

namespace bench {

class contender : public over_region<heapsmith::region> {
 public:
  using over_region::over_region;
  static constexpr const char* name = "region";
  static constexpr bool is_thread_safe = false;
};

}  // namespace bench
