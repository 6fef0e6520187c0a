// What the examples of fallback.hpp take for granted.
#pragma once

#include "buffer.hpp"
