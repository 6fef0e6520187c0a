// Declarations that the examples of containers/map.hpp use.
#pragma once

#include <cstdint>
#include <functional>

namespace {

struct order {
  int quantity;
};
constexpr std::uint64_t price = 100;
constexpr int quantity = 7;

}  // namespace
