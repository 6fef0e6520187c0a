// mallctl as tests call it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "adapt/dialects/jemalloc/functions.h"

namespace heapsmith::testing {

/// The value of a name that is known.
template <class T>
T value_of(const std::string& name) {
  T value{};
  std::size_t length = sizeof value;
  EXPECT_EQ(mallctl(name.c_str(), &value, &length, nullptr, 0), 0) << name;
  EXPECT_EQ(length, sizeof value) << name;
  return value;
}

template <class T>
int write(const std::string& name, T value) {
  return mallctl(name.c_str(), nullptr, nullptr, &value, sizeof value);
}

inline int act(const std::string& name) {
  return mallctl(name.c_str(), nullptr, nullptr, nullptr, 0);
}

inline void begin_epoch() {
  EXPECT_EQ(write("epoch", std::uint64_t{1}), 0);
}

inline unsigned create_arena() {
  return value_of<unsigned>("arenas.create");
}

}  // namespace heapsmith::testing
