// The calls of a contender, kept out of the code that makes them.
//
// Were they inlined, the size of a contender's code would decide what else the compiler inlines
// into a container's loop, and that costs more than an allocator does. So everyone pays one call.
#pragma once

#include <cstddef>

#ifdef __clang__
#define HS_APART [[gnu::noinline]]
#else
#define HS_APART [[gnu::noipa]]  // nor may a copy be made for the sizes that are known
#endif

namespace bench {

template <class Contender>
HS_APART void* allocate_from(Contender& contender, std::size_t bytes) {
  return contender.allocate(bytes);
}

template <class Contender>
HS_APART void deallocate_to(Contender& contender, void* block, std::size_t bytes) {
  contender.deallocate(block, bytes);
}

}  // namespace bench
