// Declarations that the examples of pmr.hpp use.
#pragma once

#include <list>
#include <memory_resource>
