// Random numbers for the programs of the suites, the same in every run.
#pragma once

#include <cstdint>

#include "support/report.hpp"

namespace bench {

class random_words {
 public:
  explicit random_words(std::uint64_t seed) : state_(mix(seed + 1)) {}

  std::uint64_t word() { return mix(state_ += 0x9e3779b97f4a7c15u); }

  // Uniform in [0, bound), bound < 2^32.
  std::uint32_t below(std::uint64_t bound) {
    return static_cast<std::uint32_t>(((word() >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace bench
