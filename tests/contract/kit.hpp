// Properties of a resource that the contract suite needs to test it.
#pragma once

#include <gtest/gtest.h>

#include "heapsmith/resource.hpp"

namespace heapsmith::contract {

/// How the suite makes a resource and exhausts its memory.
///
///   name                     of the resource in the names of the tests
///   R make()                 returns a resource to test
///   scarcity                 while an object of this type lives, the resource has little memory
///                            left; converts to false if this build cannot arrange it
///   largest                  the resource must serve blocks up to this size
///   refused                  a size that no upstream has, or 0 if this build aborts instead
///   reuses                   the memory of a freed block soon serves another block
template <class R>
struct kit;

template <class Types>
inline constexpr bool all_resettable = false;
template <class... R>
inline constexpr bool all_resettable<testing::Types<R...>> = (resettable_resource<R> && ...);

}  // namespace heapsmith::contract
