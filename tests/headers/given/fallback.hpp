// Declarations that the examples of fallback.hpp use.
#pragma once

#include "buffer.hpp"
