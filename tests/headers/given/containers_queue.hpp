// Declarations that the examples of containers/queue.hpp use.
#pragma once

namespace {

struct event {
  int kind;
};
constexpr event e = {1};
void drop(const event&) {}

}  // namespace
