// Declarations that the examples of containers/stack.hpp use.
#pragma once

namespace {

struct frame {
  int state, depth;
};
constexpr int state = 1, depth = 2;

}  // namespace
