// What the examples of concurrent_arena.hpp take for granted.
#pragma once

namespace {

struct symbol {
  const char* name;
  int uses;
};

}  // namespace
