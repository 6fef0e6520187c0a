// Contenders pool and synchronized_pool: heapsmith's pool resources over operator new.
#pragma once

#include <cstddef>
#include <string>

#include "heapsmith/heapsmith.h"
#include "heapsmith/pool_resource.hpp"

namespace bench {

template <class Pool>
struct own_pool {
  static std::string version() { return hs_version(); }

  class blocks {
   public:
    void* allocate(std::size_t bytes) { return pool_.allocate(bytes); }
    void deallocate(void* block, std::size_t bytes) { pool_.deallocate(block, bytes); }

   private:
    Pool pool_;
  };
};

struct pool : own_pool<heapsmith::unsynchronized_pool<>> {
  static constexpr const char* name = "pool";
};

struct synchronized_pool : own_pool<heapsmith::synchronized_pool<>> {
  static constexpr const char* name = "synchronized_pool";
};

}  // namespace bench
