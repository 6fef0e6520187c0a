// Arenas with memory of their own: inside the object, or one block.
#include "heapsmith/inline_arena.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "arena/watched_upstream.hpp"

namespace heapsmith {
namespace {

char* take(auto& a, std::size_t bytes, std::size_t align = 1) {
  return static_cast<char*>(a.allocate(bytes, align));
}

TEST(InlineArena, StartsInItsOwnMemory) {
  watched_upstream up;
  inline_arena<256, watched_upstream> a(up);
  char* const p = take(a, 256);
  EXPECT_GE(p, reinterpret_cast<char*>(&a));
  EXPECT_LE(p + 256, reinterpret_cast<char*>(&a + 1));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignof(std::max_align_t), 0u);
  EXPECT_EQ(up.calls, 0);
  static_cast<void>(a.allocate(1, 1));
  EXPECT_EQ(up.calls, 1);
}

TEST(InlineArena, DoesNotGrowOverNullResource) {
  inline_arena<16, null_resource> a;
  EXPECT_NE(a.try_allocate(16, 16), nullptr);
  EXPECT_EQ(a.try_allocate(1, 1), nullptr);
}

TEST(FixedArena, TakesOneBlockOnly) {
  watched_upstream up;
  fixed_arena a(1000, up);
  EXPECT_EQ(up.held(), 1000u);
  EXPECT_NE(a.try_allocate(1000, 1), nullptr) << "exact fit";
  EXPECT_EQ(a.try_allocate(1, 1), nullptr);
  a.release();
  EXPECT_NE(a.try_allocate(1000, 1), nullptr);
  EXPECT_EQ(up.calls, 1);
  up.capacity = 1000;
  EXPECT_THROW(fixed_arena(1, up), std::bad_alloc);
}

TEST(FixedArena, TryCreateReturnsNothingIfThereIsNoMemory) {
  watched_upstream up;
  {
    auto a = fixed_arena<watched_upstream>::try_create(1000, up);
    ASSERT_TRUE(a.has_value());
    EXPECT_NE(a->try_allocate(1000, 1), nullptr);
    EXPECT_EQ(a->try_allocate(1, 1), nullptr);
    up.capacity = 1000;
    EXPECT_FALSE(fixed_arena<watched_upstream>::try_create(1, up));
  }
  EXPECT_EQ(up.blocks(), 0u);
}

TEST(Arena, OverAnotherArena) {
  inline_arena<4096, null_resource> outer;
  arena<arena<null_resource>> inner(outer);
  int n = 0;
  while (inner.try_allocate(100, 1) != nullptr) ++n;
  EXPECT_GE(n, 35);
}

}  // namespace
}  // namespace heapsmith
