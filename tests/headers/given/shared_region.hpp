// What the examples of shared_region.hpp take for granted.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

namespace {

struct order {
  int price, quantity;
};

}  // namespace
