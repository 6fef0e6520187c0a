// Declarations that the examples of handle.hpp use.
#pragma once

#include <cassert>

namespace {

struct particle {
  float position, speed;
};
constexpr float position = 0, speed = 1;

}  // namespace
