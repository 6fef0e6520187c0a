// Declarations that the examples of shared_region.hpp use.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

namespace {

struct order {
  int price, quantity;
};

}  // namespace
