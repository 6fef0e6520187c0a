// What the examples of pool_resource.hpp take for granted.
#pragma once

#include "buffer.hpp"
