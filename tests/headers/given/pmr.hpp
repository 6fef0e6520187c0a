// What the examples of pmr.hpp take for granted.
#pragma once

#include <list>
#include <memory_resource>
