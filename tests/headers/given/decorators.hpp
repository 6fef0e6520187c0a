// What the examples of decorators.hpp take for granted.
#pragma once

#include "buffer.hpp"
#include "heapsmith/region.hpp"

namespace {

heapsmith::synchronized<heapsmith::region> shared(buffer, sizeof buffer);

}  // namespace
