// The common code of heapsmith's regions as contenders.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "heapsmith/heapsmith.h"

namespace bench {

template <class Region>
class over_region {
 public:
  static constexpr bool uses_buffer = true;

  static std::string version() { return hs_version(); }

  explicit over_region(std::span<std::byte> buffer) : region_(buffer.data(), buffer.size()) {}

  void* allocate(std::size_t bytes) { return region_.try_allocate(bytes, 16); }

  void deallocate(void* block, std::size_t bytes) { region_.deallocate(block, bytes, 16); }

 private:
  Region region_;
};

}  // namespace bench
