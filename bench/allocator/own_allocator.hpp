// Contender allocator: heapsmith::allocator, on heapsmith's heap, in a process whose malloc is
// glibc's.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "heapsmith/allocator.hpp"

namespace bench {

struct own_allocator {
  static constexpr const char* name = "allocator";
  static std::string version() { return hs_version(); }

  class memory {
   public:
    explicit memory(std::span<std::byte>) {}
    template <class T>
    heapsmith::allocator<T> of() {
      return {};
    }
  };
};

}  // namespace bench
