// Where in the library an atomic operation was called: the name of its memory order.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <source_location>
#include <string>

namespace heapsmith::model {

/// One memory order written in the source. A compare-exchange has two at its place: success is slot
/// 0, failure slot 1.
struct order_site {
  std::string file;
  std::uint_least32_t line = 0, column = 0;
  unsigned slot = 0;
  std::memory_order order = std::memory_order_relaxed;

  auto operator<=>(const order_site&) const = default;
};

/// Replaces the order at one site.
struct weakening {
  order_site site;
  std::memory_order to = std::memory_order_relaxed;
};

inline const char* name_of(std::memory_order o) {
  switch (o) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
      return "consume";
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      return "seq_cst";
  }
  return "?";
}

/// The last part of a path.
inline std::string file_of(const char* path) {
  const std::string s = path;
  return s.substr(s.rfind('/') + 1);
}

inline std::string to_string(const order_site& s) {
  return s.file + ":" + std::to_string(s.line) + ":" + std::to_string(s.column) +
         (s.slot == 1 ? " (failure order) " : " ") + name_of(s.order);
}

}  // namespace heapsmith::model
