// Declarations that the examples of allocator.hpp use.
#pragma once

#include <list>
#include <vector>
