// What the examples of concurrent_region.hpp take for granted.
#pragma once

#include "buffer.hpp"
