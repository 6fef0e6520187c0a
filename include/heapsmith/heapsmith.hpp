// All of heapsmith for C++. Each header also compiles alone, and costs less to compile.
#pragma once

#include "heapsmith/allocator.hpp"
#include "heapsmith/arena.hpp"
#include "heapsmith/concurrent_region.hpp"
#include "heapsmith/decorators.hpp"
#include "heapsmith/heap.hpp"
#include "heapsmith/inline_arena.hpp"
#include "heapsmith/null_resource.hpp"
#include "heapsmith/offset_region.hpp"
#include "heapsmith/pmr.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/region.hpp"
#include "heapsmith/resource.hpp"
#include "heapsmith/resource_ref.hpp"
#include "heapsmith/scope.hpp"
