// What the examples of pool.hpp take for granted.
#pragma once

namespace {

struct order {
  int price, quantity;
};
constexpr int price = 100, quantity = 17;

}  // namespace
