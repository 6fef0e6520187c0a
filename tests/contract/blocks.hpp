// Blocks with known contents, for tests that must notice when somebody else writes there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heapsmith::contract {

struct block {
  void* pointer = nullptr;
  std::size_t bytes = 0;
  std::size_t align = 1;
  unsigned seed = 0;

  void fill() const { std::memset(pointer, value(), bytes); }
  bool is_intact() const { return is_intact_up_to(bytes); }
  bool is_intact_up_to(std::size_t n) const {
    const auto* at = static_cast<const unsigned char*>(pointer);
    return n == 0 || (at[0] == value() && std::memcmp(at, at + 1, n - 1) == 0);
  }
  bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(pointer) % align == 0; }

 private:
  unsigned char value() const { return static_cast<unsigned char>(seed * 37 + 11); }
};

}  // namespace heapsmith::contract
