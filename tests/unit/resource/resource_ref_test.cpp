// References to resources of any type, and the owner of one.
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "heapsmith/heap.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/resource_ref.hpp"
#include "support/bump_buffer.hpp"
#include "support/strict_upstream.hpp"

namespace heapsmith {
namespace {

static_assert(sizeof(resource_ref) == 2 * sizeof(void*));
static_assert(std::is_trivially_copyable_v<resource_ref>);
static_assert(!std::is_constructible_v<resource_ref, default_resource&&>, "it would dangle");
static_assert(!std::is_copy_constructible_v<any_resource>);

static_assert(resource<resource_ref> && expanding_resource<resource_ref> &&
              reallocating_resource<resource_ref> && generous_resource<resource_ref>);
static_assert(resource<any_resource> && expanding_resource<any_resource> &&
              reallocating_resource<any_resource> && generous_resource<any_resource>);

TEST(ResourceRef, Example) {
  const auto parse = [](std::string_view text, resource_ref memory) {
    void* p = memory.allocate(text.size(), 1);
    std::memcpy(p, text.data(), text.size());
    memory.deallocate(p, text.size(), 1);
  };
  unsynchronized_pool pool;
  parse("some text", pool);
}

TEST(ResourceRef, ForwardsToTheResource) {
  strict_upstream upstream;
  resource_ref r = upstream;
  void* a = r.allocate(100, 64);
  void* b = r.try_allocate(200, 8);
  EXPECT_EQ(upstream.held_bytes(), 300u);
  upstream.limit_bytes = 300;
  EXPECT_EQ(r.try_allocate(1, 1), nullptr);
  EXPECT_THROW(static_cast<void>(r.allocate(1, 1)), std::bad_alloc);
  r.deallocate(a, 100, 64);
  r.deallocate(b, 200, 8);
}

TEST(ResourceRef, HasTheOperationsOfTheResource) {
  global_heap heap;
  resource_ref r = heap;
  const sized_block b = r.allocate_at_least(33, 16);
  EXPECT_EQ(b.bytes, hs_malloc_usable_size(b.pointer));
  EXPECT_TRUE(r.try_expand(b.pointer, 33, b.bytes, 16));
  void* p = r.reallocate(b.pointer, b.bytes, 10'000, 16);
  EXPECT_GE(hs_malloc_usable_size(p), 10'000u);
  r.deallocate(p, 10'000, 16);
}

TEST(ResourceRef, ReplacesOperationsThatTheResourceLacks) {
  bump_buffer<1000> buffer;
  resource_ref r = buffer;
  const sized_block b = r.allocate_at_least(33, 1);
  EXPECT_EQ(b.bytes, 33u);
  EXPECT_FALSE(r.try_expand(b.pointer, 33, 33, 1));
  std::memset(b.pointer, 7, 33);
  auto* moved = static_cast<unsigned char*>(r.reallocate(b.pointer, 33, 66, 1));
  EXPECT_NE(moved, b.pointer);
  EXPECT_EQ(moved[32], 7);
  EXPECT_EQ(buffer.live, 1);
  EXPECT_THROW(static_cast<void>(r.reallocate(moved, 66, 2000, 1)), std::bad_alloc);
  EXPECT_EQ(moved[32], 7);
  EXPECT_EQ(buffer.live, 1);
}

TEST(ResourceRef, EqualIfTheResourcesAreEqual) {
  strict_upstream a, b;
  global_heap heap, same_heap;
  default_resource other;
  EXPECT_EQ(resource_ref(a), resource_ref(a));
  EXPECT_NE(resource_ref(a), resource_ref(b));
  EXPECT_EQ(resource_ref(heap), resource_ref(same_heap));
  EXPECT_NE(resource_ref(heap), resource_ref(other));
}

TEST(ResourceRef, IsAnUpstreamByValue) {
  strict_upstream upstream;
  unsynchronized_pool<resource_ref> pool{resource_ref(upstream)};
  void* p = pool.allocate(100, 8);
  EXPECT_EQ(upstream.held_blocks(), 1u);
  pool.deallocate(p, 100, 8);
}

TEST(AnyResource, Example) {
  any_resource memory(std::in_place_type<unsynchronized_pool<>>);
  void* p = memory.allocate(100);
  memory.deallocate(p, 100);
}

TEST(AnyResource, SmallResourcesNeedNoMemory) {
  strict_upstream upstream;
  any_resource small(upstream, std::in_place_type<global_heap>);
  EXPECT_EQ(upstream.calls, 0u);
  void* p = small.allocate(10, 1);
  small.deallocate(p, 10, 1);
}

TEST(AnyResource, LargeResourcesLieInTheUpstream) {
  strict_upstream upstream;
  {
    any_resource large(upstream, std::in_place_type<bump_buffer<500>>);
    EXPECT_EQ(upstream.held_bytes(), sizeof(bump_buffer<500>));
    EXPECT_NE(large.try_allocate(500, 1), nullptr);
    EXPECT_EQ(large.try_allocate(1, 1), nullptr);
  }
  EXPECT_EQ(upstream.held_blocks(), 0u);
}

TEST(AnyResource, TryCreateReturnsNothingIfThereIsNoMemory) {
  strict_upstream upstream;
  upstream.limit_bytes = 100;
  auto small = any_resource::try_create(upstream, std::in_place_type<global_heap>);
  EXPECT_TRUE(small.has_value());
  EXPECT_FALSE(any_resource::try_create(upstream, std::in_place_type<bump_buffer<500>>));
  upstream.limit_bytes = SIZE_MAX;
  {
    auto large = any_resource::try_create(upstream, std::in_place_type<bump_buffer<500>>);
    ASSERT_TRUE(large.has_value());
    EXPECT_NE(large->try_allocate(500, 1), nullptr);
  }
  EXPECT_EQ(upstream.held_blocks(), 0u);
}

TEST(AnyResource, PassesArgumentsAndDestroysTheResource) {
  strict_upstream upstream;
  {
    any_resource pool(std::in_place_type<unsynchronized_pool<strict_upstream>>, upstream);
    static_cast<void>(pool.allocate(100, 8));
    EXPECT_EQ(upstream.held_blocks(), 1u);
    resource_ref r = pool;
    EXPECT_EQ(r, resource_ref(pool));
  }
  EXPECT_EQ(upstream.held_blocks(), 0u);
}

struct throwing : bump_buffer<500> {
  throwing() { throw std::runtime_error("no"); }
};

TEST(AnyResource, DeallocatesItsMemoryIfTheConstructorThrows) {
  strict_upstream upstream;
  EXPECT_THROW(any_resource(upstream, std::in_place_type<throwing>), std::runtime_error);
  EXPECT_EQ(upstream.calls, 1u);
  EXPECT_EQ(upstream.held_blocks(), 0u);
}

}  // namespace
}  // namespace heapsmith
