// Declarations that the examples of decorators.hpp use.
#pragma once

#include "buffer.hpp"
#include "heapsmith/region.hpp"

namespace {

heapsmith::synchronized<heapsmith::region> shared(buffer, sizeof buffer);

}  // namespace
