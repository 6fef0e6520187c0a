// The properties that resources state, and their default values.
#include <gtest/gtest.h>

#include "heapsmith/counting.hpp"
#include "heapsmith/decorators.hpp"
#include "heapsmith/detail/upstream.hpp"
#include "heapsmith/heap.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/resource_ref.hpp"
#include "support/bump_buffer.hpp"

namespace heapsmith {
namespace {

struct with_properties : default_resource {
  static constexpr bool deallocate_is_trivial = true;
  static constexpr std::size_t min_alignment = 32;
  static constexpr bool is_thread_safe = false;
};

using without_properties = bump_buffer<100>;
static_assert(!resource_traits<without_properties>::deallocate_is_trivial);
static_assert(resource_traits<without_properties>::min_alignment == 1);
static_assert(!resource_traits<without_properties>::is_thread_safe);
static_assert(resource_traits<with_properties>::deallocate_is_trivial);
static_assert(resource_traits<with_properties>::min_alignment == 32);
static_assert(!resource_traits<with_properties>::is_thread_safe);

static_assert(resource_traits<global_heap>::min_alignment == 16);
static_assert(resource_traits<global_heap>::is_thread_safe);
static_assert(resource_traits<default_resource>::is_thread_safe);
static_assert(resource_traits<synchronized<with_properties>>::is_thread_safe);
static_assert(resource_traits<synchronized<with_properties>>::min_alignment == 32);
static_assert(!resource_traits<counting<default_resource>>::is_thread_safe);
static_assert(!resource_traits<unsynchronized_pool<>>::is_thread_safe);
static_assert(resource_traits<synchronized_pool<>>::is_thread_safe);

static_assert(std::is_empty_v<detail::upstream<default_resource>>);
static_assert(sizeof(detail::upstream<without_properties>) == sizeof(void*));

TEST(DefaultResource, RequestsAtLeastTheAlignment) {
  // Operator new may align 4 bytes to 4, so default_resource requests more. It passes the same size
  // to operator delete, which sanitizers check.
  default_resource r;
  for (std::size_t bytes = 0; bytes <= 32; ++bytes)
    for (std::size_t align = 1; align <= 64; align *= 2) {
      void* p = r.allocate(bytes, align);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
      r.deallocate(p, bytes, align);
    }
}

}  // namespace
}  // namespace heapsmith
