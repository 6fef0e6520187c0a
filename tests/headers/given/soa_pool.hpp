// Declarations that the examples of soa_pool.hpp use.
#pragma once

#include <algorithm>
