// Declarations that the examples of limiting.hpp use.
#pragma once

#include "heapsmith/resource_ref.hpp"

namespace {

struct {
  void run(heapsmith::resource_ref memory) { memory.deallocate(memory.allocate(100), 100); }
} plugin;

}  // namespace
