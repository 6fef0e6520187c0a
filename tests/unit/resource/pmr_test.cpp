// Resources as std::pmr::memory_resource, and memory resources as resources.
#include <gtest/gtest.h>

#include <list>
#include <memory_resource>
#include <string>
#include <vector>

#include "heapsmith/heap.hpp"
#include "heapsmith/pmr.hpp"
#include "heapsmith/pool_resource.hpp"
#include "support/strict_upstream.hpp"

namespace heapsmith {
namespace {

using from_pmr = pmr_adaptor<std::pmr::memory_resource>;

TEST(PmrAdaptor, Example) {
  unsynchronized_pool pool;
  pmr_adaptor adaptor(pool);
  std::pmr::list<int> numbers(&adaptor);
  for (int i = 0; i < 1000; ++i) numbers.push_back(i);
  EXPECT_EQ(numbers.back(), 999);
  EXPECT_EQ(pool.stats().pieces, 1u);
}

TEST(PmrAdaptor, PassesSizesAndAlignmentsOn) {
  strict_upstream upstream;
  pmr_adaptor adaptor(upstream);
  void* p = adaptor.allocate(100, 512);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 512, 0u);
  EXPECT_EQ(upstream.held_bytes(), 100u);
  adaptor.deallocate(p, 100, 512);
  upstream.limit_bytes = 0;
  EXPECT_THROW(static_cast<void>(adaptor.allocate(1, 1)), std::bad_alloc);
}

TEST(PmrAdaptor, EqualIfTheResourcesAreEqual) {
  unsynchronized_pool a, b;
  pmr_adaptor first(a), same(a), other(b);
  EXPECT_TRUE(first.is_equal(same));
  EXPECT_FALSE(first.is_equal(other));
  EXPECT_FALSE(first.is_equal(*std::pmr::new_delete_resource()));
  pmr_adaptor<global_heap> heap, same_heap;
  EXPECT_TRUE(heap.is_equal(same_heap));
  EXPECT_FALSE(heap.is_equal(first));
}

TEST(PmrAdaptor, AMemoryResourceIsAnUpstream) {
  strict_upstream upstream;
  pmr_adaptor as_pmr(upstream);
  std::pmr::monotonic_buffer_resource monotonic(&as_pmr);
  {
    unsynchronized_pool pool(pmr_adaptor{monotonic});
    static_assert(std::is_same_v<decltype(pool), unsynchronized_pool<from_pmr>>);
    pool.deallocate(pool.allocate(100, 8), 100, 8);
    EXPECT_GE(upstream.held_bytes(), 32u * 1024);
  }
}

TEST(PmrAdaptor, TryAllocateReturnsNullIfTheMemoryResourceThrows) {
  from_pmr none(*std::pmr::null_memory_resource());
  EXPECT_EQ(none.try_allocate(1, 1), nullptr);
  EXPECT_THROW(static_cast<void>(none.allocate(1, 1)), std::bad_alloc);
}

TEST(PmrAdaptor, EqualIfTheMemoryResourcesAreEqual) {
  std::pmr::monotonic_buffer_resource m;
  EXPECT_TRUE(from_pmr(m) == from_pmr(m));
  EXPECT_FALSE(from_pmr(m) == from_pmr(*std::pmr::new_delete_resource()));
  EXPECT_EQ(&from_pmr(m).base(), &m);
}

}  // namespace
}  // namespace heapsmith
