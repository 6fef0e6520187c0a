// Declarations that the examples of resource_ref.hpp use.
#pragma once

#include <cstring>
#include <string_view>

#include "heapsmith/resource_ref.hpp"

namespace {

constexpr std::string_view text = "to be parsed";
void parse(std::string_view from, heapsmith::resource_ref memory) {
  void* const copy = memory.allocate(from.size(), 1);
  std::memcpy(copy, from.data(), from.size());
  memory.deallocate(copy, from.size(), 1);
}

}  // namespace
