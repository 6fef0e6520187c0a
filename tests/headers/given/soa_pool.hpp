// What the examples of soa_pool.hpp take for granted.
#pragma once

#include <algorithm>
