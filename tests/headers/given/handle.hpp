// What the examples of handle.hpp take for granted.
#pragma once

#include <cassert>

namespace {

struct particle {
  float position, speed;
};
constexpr float position = 0, speed = 1;

}  // namespace
