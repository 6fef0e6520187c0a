// Declarations that the examples of pool.hpp use.
#pragma once

namespace {

struct order {
  int price, quantity;
};
constexpr int price = 100, quantity = 17;

}  // namespace
