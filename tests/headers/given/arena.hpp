// Declarations that the examples of arena.hpp use.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heapsmith/arena.hpp"

namespace {

const std::vector<std::string> lines = {"first", "", "third"};
std::vector<std::span<char>> copies;

heapsmith::arena a;
bool accepted = false;
void parse_optional_part(heapsmith::arena<>& memory) {
  static_cast<void>(memory.allocate(100'000));
}

}  // namespace
