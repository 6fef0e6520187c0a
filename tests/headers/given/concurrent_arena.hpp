// Declarations that the examples of concurrent_arena.hpp use.
#pragma once

namespace {

struct symbol {
  const char* name;
  int uses;
};

}  // namespace
