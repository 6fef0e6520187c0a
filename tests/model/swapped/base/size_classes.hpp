// The model build's size classes: slabs of two or three blocks, so that a case fills and empties
// one.
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
  std::uint32_t bytes, capacity, reciprocal;
  std::uint8_t slices, batch;
  std::uint32_t inverse;
};

constexpr std::uint32_t enough_to_tell(std::uint32_t carved) {
  return (carved + 1) / 2;
}

/// No block of the model is freed by a pointer into its middle.
constexpr std::uint32_t block_index(const class_info& info, std::uint32_t offset) {
  return offset / info.bytes;
}

inline constexpr std::array<class_info, class_count> class_table{
    {{16, 2, 1u << 30, 1, 64, 1u << 12}, {32, 3, 1u << 29, 2, 64, 1u << 11}}};

/// Spans of the model are shorter.
inline constexpr std::size_t index_offset_end = 128;

constexpr std::uint32_t index_if_start(std::uint32_t inverse, std::uint32_t offset) {
  return std::rotl(offset * inverse, 16);
}

/// A span of the model has 128 bytes, at a multiple of as many.
inline std::uint32_t offset_in_slice(const void* p) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p) % 128);
}

}  // namespace heapsmith
