// What the examples of containers/stack.hpp take for granted.
#pragma once

namespace {

struct frame {
  int state, depth;
};
constexpr int state = 1, depth = 2;

}  // namespace
