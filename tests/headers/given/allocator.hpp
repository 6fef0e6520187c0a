// What the examples of allocator.hpp take for granted.
#pragma once

#include <list>
#include <vector>
