// Regions, call by call: sizes, alignment, errors; and standard containers in a region.
#include "heapsmith/region.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include "heapsmith/concurrent_region.hpp"

namespace heapsmith {
namespace {

alignas(4096) unsigned char buffer[1 << 20];

unsigned char* at(void* p) {
  return static_cast<unsigned char*>(p);
}

TEST(Region, SmallBuffersHoldTheDocumentedBlocks) {
  region hundred(buffer, 100);
  EXPECT_NE(hundred.try_allocate(10), nullptr);
  EXPECT_NE(hundred.try_allocate(40), nullptr);
  EXPECT_EQ(hundred.try_allocate(1), nullptr);
  region fifty(buffer + 4096, 50);
  EXPECT_NE(fifty.try_allocate(10), nullptr);
}

TEST(Region, ConstructionThrowsIfTheBufferIsRefused) {
  EXPECT_THROW(region(nullptr, 100), std::bad_alloc);
  EXPECT_THROW(region(buffer, 30), std::bad_alloc);
  EXPECT_THROW(concurrent_region(buffer, 30), std::bad_alloc);
  region r;
  EXPECT_FALSE(r.init(buffer, 30));
  EXPECT_TRUE(r.init(buffer, 60)) << "a refused buffer leaves the region as it was";
}

TEST(Region, CFunctionsMirrorLibc) {
  region r(buffer, sizeof buffer);
  hs_region* const c = r.native();
  errno = 0;
  EXPECT_EQ(hs_region_malloc(c, 0), nullptr);
  EXPECT_EQ(errno, 0);
  void* p = hs_region_realloc(c, nullptr, 100);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(hs_region_usable_size(c, p), 104u);
  EXPECT_EQ(hs_region_realloc(c, p, 0), nullptr);
  EXPECT_EQ(r.stats().in_use_bytes, 0u);
  hs_region_free(c, nullptr);
  EXPECT_EQ(hs_region_usable_size(c, nullptr), 0u);
  static unsigned char used[4096];
  std::memset(used, 0xff, sizeof used);
  region again(used, sizeof used);
  p = hs_region_calloc(again.native(), 10, 30);
  ASSERT_NE(p, nullptr);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(at(p)[i], 0);
}

TEST(Region, ImpossibleRequestsFailCleanly) {
  region r(buffer, sizeof buffer);
  hs_region* const c = r.native();
  void* const p = hs_region_malloc(c, 100);
  std::memset(p, 7, 100);
  const std::size_t before = r.stats().in_use_bytes;
  std::size_t failures = 0;
  for (std::size_t less = 0; less < 100; ++less)
    for (const std::size_t size : {SIZE_MAX - less, SIZE_MAX / 2 - less, SIZE_MAX / 2 + less + 1,
                                   (std::size_t{1} << 47) - less, sizeof buffer + less}) {
      errno = 0;
      ASSERT_EQ(hs_region_malloc(c, size), nullptr) << size;
      ASSERT_EQ(errno, ENOMEM);
      ASSERT_EQ(hs_region_aligned_alloc(c, 4096, size), nullptr);
      ASSERT_EQ(hs_region_aligned_alloc(c, std::size_t{1} << 63, size), nullptr);
      ASSERT_EQ(hs_region_realloc(c, p, size), nullptr);
      ASSERT_EQ(hs_region_aligned_realloc(c, p, 4096, size), nullptr);
      ASSERT_EQ(hs_region_calloc(c, 1, size), nullptr);
      ASSERT_EQ(hs_region_try_expand(c, p, size), ENOMEM);
      failures += 6;
    }
  volatile std::size_t half = SIZE_MAX / 2;
  EXPECT_EQ(hs_region_calloc(c, half, 3), nullptr);
  EXPECT_EQ(r.stats().failed_requests, failures + 1);
  EXPECT_EQ(r.stats().in_use_bytes, before);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(at(p)[i], 7);
  EXPECT_EQ(r.check(), 0);
}

TEST(Region, OddAlignmentsAreInvalid) {
  region r(buffer, sizeof buffer);
  for (const std::size_t align : {0, 3, 24, 100}) {
    errno = 0;
    EXPECT_EQ(hs_region_aligned_alloc(r.native(), align, 10), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(hs_region_aligned_realloc(r.native(), nullptr, align, 10), nullptr);
  }
}

TEST(Region, AlignmentGoesUpToTheBuffer) {
  for (std::size_t align = 1; align <= sizeof buffer / 2; align *= 2) {
    region r(buffer, sizeof buffer);
    void* const p = r.try_allocate(100, align);
    ASSERT_NE(p, nullptr) << align;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
    // The memory in front serves other requests.
    const auto in_front = static_cast<std::size_t>(at(p) - buffer);
    if (in_front > 100) {
      EXPECT_LT(r.try_allocate(in_front - 32), p);
    }
    r.deallocate(p);
    EXPECT_EQ(r.check(), 0);
  }
}

TEST(Region, AnAlignedPositionIsFoundIfThereIsOnlyOne) {
  // 4096-aligned and 4096 - 8 bytes long: padded by the alignment it would need twice the buffer.
  region r(buffer + 4080, 4096 + 24);
  void* const p = r.try_allocate(4088, 4096);
  EXPECT_EQ(p, buffer + 4096);
  EXPECT_EQ(r.try_allocate(4088, 4096), nullptr);
  r.deallocate(p);

  // The last of many free blocks that are searched holds the request.
  region many(buffer, sizeof buffer);
  std::vector<void*> blocks;
  while (void* const q = many.try_allocate(3000)) blocks.push_back(q);
  for (std::size_t i = 0; i < blocks.size(); i += 2) many.deallocate(blocks[i]);
  std::size_t spots = 0;
  while (many.try_allocate(2000, 2048) != nullptr) ++spots;
  std::size_t possible = 0;
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    const auto begin = reinterpret_cast<std::uintptr_t>(blocks[i]);
    std::uintptr_t spot = (begin + 2047) / 2048 * 2048;
    if (spot == begin + 16) spot += 2048;
    possible += spot + 2000 <= begin + 3000;
  }
  EXPECT_EQ(spots, possible);
  EXPECT_EQ(many.check(), 0);
}

/// A region as a memory_resource.
class over_region final : public std::pmr::memory_resource {
 public:
  explicit over_region(region& r) : region_(r) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override {
    return region_.allocate(bytes, align);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t align) override {
    region_.deallocate(p, bytes, align);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  region& region_;
};

TEST(Region, ServesContainersAndPools) {
  region r(buffer, sizeof buffer);
  {
    over_region resource(r);
    std::pmr::unsynchronized_pool_resource pool(&resource);
    for (std::pmr::memory_resource* m : {static_cast<std::pmr::memory_resource*>(&resource),
                                         static_cast<std::pmr::memory_resource*>(&pool)}) {
      std::pmr::list<std::pmr::string> list(m);
      std::pmr::map<int, std::pmr::vector<int>> map(m);
      std::pmr::unordered_map<std::pmr::string, int> names(m);
      for (int i = 0; i < 1000; ++i) {
        list.emplace_back(static_cast<std::size_t>(i % 100), 'x');
        map[i % 50].push_back(i);
        names[std::pmr::string(std::to_string(i).c_str(), m)] = i;
        if (i % 3 == 0) list.pop_front();
      }
      EXPECT_EQ(map.size(), 50u);
      EXPECT_EQ(map[7].size(), 20u);
      EXPECT_EQ(names.at("999"), 999);
      EXPECT_EQ(r.check(), 0);
    }
  }
  EXPECT_EQ(r.stats().in_use_bytes, 0u);
  EXPECT_EQ(r.check(), 0);
}

}  // namespace
}  // namespace heapsmith
