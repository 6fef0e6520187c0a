// All of heapsmith for C++ that the system has. Each header also compiles alone, and costs less to
// compile.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include "heapsmith/allocator.hpp"
#include "heapsmith/arena.hpp"
#include "heapsmith/arena_containers.hpp"
#include "heapsmith/concurrent_arena.hpp"
#include "heapsmith/concurrent_region.hpp"
#include "heapsmith/containers/list.hpp"
#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/queue.hpp"
#include "heapsmith/containers/set.hpp"
#include "heapsmith/containers/stack.hpp"
#include "heapsmith/decorator.hpp"
#include "heapsmith/decorators.hpp"
#include "heapsmith/handle.hpp"
#include "heapsmith/inline_arena.hpp"
#include "heapsmith/inline_pool.hpp"
#include "heapsmith/null_resource.hpp"
#include "heapsmith/offset_region.hpp"
#include "heapsmith/pmr.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/region.hpp"
#include "heapsmith/resource.hpp"
#include "heapsmith/resource_ref.hpp"
#include "heapsmith/scope.hpp"
#include "heapsmith/small_region.hpp"
#include "heapsmith/soa_pool.hpp"

#if !defined(_WIN32)
#include "heapsmith/heap.hpp"
#include "heapsmith/shared_region.hpp"
#endif

#endif  // HEAPSMITH_HAS_CPP20
