// The bytes that a fuzzer supplies, read as the numbers that steps need; zeroes behind the end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith::fuzz {

class tape {
 public:
  tape(const std::uint8_t* bytes, std::size_t length) : at_(bytes), left_(length) {}

  bool is_empty() const { return left_ == 0; }

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *at_++;
  }

  std::size_t below(std::size_t n) {
    const std::size_t value = byte() | static_cast<std::size_t>(byte()) << 8;
    return n == 0 ? 0 : value % n;
  }

  /// A size near a power of two, where size classes and kinds of blocks meet, or anywhere below
  /// one.
  std::size_t size() {
    const unsigned shift = byte() % 27;
    const std::size_t top = std::size_t{1} << shift;
    switch (byte() % 4) {
      case 0:
        return top - 1;
      case 1:
        return top;
      case 2:
        return top + 1 + byte() % 16;
      default:
        return top + below(top);
    }
  }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

}  // namespace heapsmith::fuzz
