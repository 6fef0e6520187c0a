// A 64-bit mixing hash for the states of a search.
#pragma once

#include <cstdint>

namespace heapsmith::model {

/// Mixes `more` into `seed`: a multiply-and-fold of 128 bits, so that every bit reaches every
/// other.
inline std::uint64_t hash_of(std::uint64_t seed, std::uint64_t more) {
  const auto wide =
      static_cast<unsigned __int128>(seed ^ 0x9e3779b97f4a7c15u) * (more ^ 0xd1b54a32d192ed03u);
  const std::uint64_t folded =
      static_cast<std::uint64_t>(wide) ^ static_cast<std::uint64_t>(wide >> 64);
  return (folded ^ (seed << 1 | seed >> 63)) * 0xff51afd7ed558ccdu + more;
}

}  // namespace heapsmith::model
