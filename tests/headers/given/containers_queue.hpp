// What the examples of containers/queue.hpp take for granted.
#pragma once

namespace {

struct event {
  int kind;
};
constexpr event e = {1};
void drop(const event&) {}

}  // namespace
