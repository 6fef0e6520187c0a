// Declarations that the examples of pool_resource.hpp use.
#pragma once

#include "buffer.hpp"
