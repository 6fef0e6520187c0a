// Contender region: heapsmith's region over the buffer.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "heapsmith/heapsmith.h"
#include "heapsmith/region.hpp"

namespace bench {

class contender {
 public:
  static constexpr const char* name = "region";
  static constexpr bool uses_buffer = true;
  static constexpr bool is_thread_safe = false;

  static std::string version() { return hs_version(); }

  explicit contender(std::span<std::byte> buffer) : region_(buffer.data(), buffer.size()) {}

  void* allocate(std::size_t bytes) { return region_.try_allocate(bytes, 16); }

  void deallocate(void* block, std::size_t bytes) { region_.deallocate(block, bytes, 16); }

 private:
  heapsmith::region region_;
};

}  // namespace bench
