// Declarations that the examples of concurrent_region.hpp use.
#pragma once

#include "buffer.hpp"
