// The model build's size classes: slabs of two or three blocks, so that a case fills and empties
// one. A heap keeps one empty slab.
#pragma once

#include "base/units.hpp"

#include <array>
#include <bit>

namespace heapsmith {

using class_index = std::uint8_t;

inline constexpr std::size_t class_count = 2;
inline constexpr std::size_t direct_max = 32;
inline constexpr std::size_t direct_slots = direct_max / block_align + 1;

constexpr std::size_t direct_slot(std::size_t bytes) {
  return (bytes + block_align - 1) / block_align;
}
constexpr class_index class_of(std::size_t bytes) {
  return bytes <= 16 ? 0 : 1;
}
constexpr std::size_t class_bytes(std::size_t c) {
  return c == 0 ? 16 : 32;
}

struct class_info {
  std::uint32_t bytes, inverse, capacity;
  std::uint8_t slices, batch;
};

inline constexpr unsigned kept_slots = 1;

constexpr std::uint32_t enough_to_report(std::uint32_t carved) {
  return (carved + 1) / 2;
}

inline constexpr std::array<class_info, class_count> class_table{
    {{16, 1u << 12, 2, 1, 64}, {32, 1u << 11, 3, 2, 64}}};

constexpr std::uint32_t index_if_start(std::uint32_t inverse, std::uint32_t offset) {
  return std::rotl(offset * inverse, 16);
}
inline std::uint32_t index_if_start(const class_info& info, const char* start, const void* p) {
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(p) - start);
  return offset < info.slices * std::size_t{64}
             ? index_if_start(info.inverse, static_cast<std::uint32_t>(offset))
             : UINT32_MAX;
}

/// A span of the model has 128 bytes, at a multiple of as many.
inline std::uint32_t offset_in_slice(const void* p) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p) % 128);
}

}  // namespace heapsmith
