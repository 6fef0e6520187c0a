// Contender synchronized_region: heapsmith's region behind one lock.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "heapsmith/decorators.hpp"
#include "heapsmith/heapsmith.h"
#include "heapsmith/region.hpp"

namespace bench {

class contender {
 public:
  static constexpr const char* name = "synchronized_region";
  static constexpr bool uses_buffer = true;
  static constexpr bool is_thread_safe = true;

  static std::string version() { return hs_version(); }

  explicit contender(std::span<std::byte> buffer) : region_(buffer.data(), buffer.size()) {}

  void* allocate(std::size_t bytes) { return region_.try_allocate(bytes, 16); }

  void deallocate(void* block, std::size_t bytes) { region_.deallocate(block, bytes, 16); }

 private:
  heapsmith::synchronized_region region_;
};

}  // namespace bench
