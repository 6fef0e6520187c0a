// Contender concurrent_region: heapsmith's region behind caches for many threads.
#pragma once

#include "heapsmith/concurrent_region.hpp"
#include "over_region.hpp"

namespace bench {

class contender : public over_region<heapsmith::concurrent_region> {
 public:
  using over_region::over_region;
  static constexpr const char* name = "concurrent_region";
  static constexpr bool is_thread_safe = true;
};

}  // namespace bench
