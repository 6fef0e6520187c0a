// Misused pointers abort the process with one line, and check() names what is damaged.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "heapsmith/detail/probe.hpp"
#include "heapsmith/region.hpp"

namespace heapsmith {
namespace {

alignas(64) unsigned char buffer[1 << 16];

class RegionMisuse : public testing::Test {
 protected:
  region r_{buffer, sizeof buffer};
};
using RegionMisuseDeathTest = RegionMisuse;

constexpr char foreign[] = "heapsmith: region_free\\(0x\\w+\\): is not a block of this region";
constexpr char gone[] =
    "heapsmith: region_free\\(0x\\w+\\): no block starts here: it was freed before, or never was";
constexpr char twice[] = "heapsmith: region_free\\(0x\\w+\\): freed twice";

TEST_F(RegionMisuseDeathTest, ForeignPointers) {
  static_cast<void>(r_.allocate(100));
  int local = 0;
  void* const libc = std::malloc(100);
  EXPECT_DEATH(r_.deallocate(&local), foreign);
  EXPECT_DEATH(r_.deallocate(libc), foreign);
  EXPECT_DEATH(r_.deallocate(buffer + sizeof buffer), foreign);
  EXPECT_DEATH(r_.deallocate(reinterpret_cast<void*>(16)), foreign);
  region unstarted;
  EXPECT_DEATH(unstarted.deallocate(&local), foreign);
  std::free(libc);
}

TEST_F(RegionMisuseDeathTest, BlocksOfAnotherRegion) {
  alignas(16) static unsigned char elsewhere[4096];
  region other(elsewhere, sizeof elsewhere);
  void* const p = other.allocate(100);
  EXPECT_DEATH(r_.deallocate(p), foreign);
}

TEST_F(RegionMisuseDeathTest, InteriorPointers) {
  auto* const small = static_cast<unsigned char*>(r_.allocate(1000));
  auto* const large = static_cast<unsigned char*>(r_.allocate(20'000));
  std::memset(small, 0, 1000);
  std::memset(large, 0x11, 20'000);
  for (unsigned char* p : {small, large})
    for (const int off : {1, 8, 16, 32, 160, 992}) {
      EXPECT_DEATH(r_.deallocate(p + off), gone) << off;
    }
  EXPECT_DEATH(static_cast<void>(r_.usable_size(small + 16)), "region_usable_size\\(.*no block");
  EXPECT_DEATH(static_cast<void>(r_.try_expand(small + 16, 1, 2)),
               "region_try_expand\\(.*no block");
  EXPECT_DEATH(static_cast<void>(r_.reallocate(small + 16, 1, 2)), "region_realloc\\(.*no block");
}

TEST_F(RegionMisuseDeathTest, SecondFrees) {
  void* const a = r_.allocate(100);
  void* const b = r_.allocate(100);
  void* const large = r_.allocate(20'000);
  void* const next = r_.allocate(20'000);
  static_cast<void>(r_.allocate(100));
  r_.deallocate(a);
  EXPECT_DEATH(r_.deallocate(a), twice);
  r_.deallocate(b);
  EXPECT_DEATH(r_.deallocate(a), twice);  // also if the frees are not consecutive
  r_.deallocate(large);
  EXPECT_DEATH(r_.deallocate(large), twice);
  r_.deallocate(next);  // now part of the free block in front
  EXPECT_DEATH(r_.deallocate(next), gone);
  r_.defragment();
  EXPECT_DEATH(r_.deallocate(b), gone);
  EXPECT_DEATH(static_cast<void>(r_.reallocate(b, 100, 200)), "region_realloc");
}

TEST_F(RegionMisuseDeathTest, BlocksFromBeforeAReset) {
  static_cast<void>(r_.allocate(100));
  void* const a = r_.allocate(100);
  r_.reset();
  EXPECT_DEATH(r_.deallocate(a), gone);
}

TEST_F(RegionMisuseDeathTest, OverwrittenHeaders) {
  if (detail::probe::is_watched) GTEST_SKIP() << "the sanitizer reports it first";
  auto* const a = static_cast<unsigned char*>(r_.allocate(2000));
  void* const b = r_.allocate(2000);
  volatile std::size_t too_much = 2000 + 16;
  std::memset(a, 'x', too_much);
  EXPECT_DEATH(r_.deallocate(a), "the header behind this block was overwritten");
  EXPECT_DEATH(r_.deallocate(b), gone);
}

TEST_F(RegionMisuseDeathTest, WritesBehindAFree) {
  if (detail::probe::is_watched) GTEST_SKIP() << "the sanitizer reports it first";
  auto* const a = static_cast<unsigned char*>(r_.allocate(2000));
  void* const b = r_.allocate(2000);
  static_cast<void>(r_.allocate(2000));
  const std::size_t usable = r_.usable_size(a);
  r_.deallocate(a);
  // The last word of a free block has its size.
  for (const unsigned char byte : {0x00, 0x08, 0x40, 0xff}) {
    unsigned char before[8];
    std::memcpy(before, a + usable - 8, 8);
    std::memset(a + usable - 8, byte, 8);
    EXPECT_DEATH(r_.deallocate(b), "region_free.*in front of this one was written to after it was");
    EXPECT_DEATH(static_cast<void>(r_.reallocate(b, 2000, 60'000)), "in front of this one");
    std::memcpy(a + usable - 8, before, 8);
  }
  r_.deallocate(b);
  EXPECT_EQ(r_.check(), 0);
}

TEST_F(RegionMisuseDeathTest, WritesToDeferredBlocks) {
  if (detail::probe::is_watched) GTEST_SKIP() << "the sanitizer reports it first";
  void* const grows = r_.allocate(100);
  unsigned char* run[3];
  for (unsigned char*& each : run) each = static_cast<unsigned char*>(r_.allocate(100));
  for (const int i : {1, 0, 2}) r_.deallocate(run[i]);
  for (const std::size_t word : {0, 8}) {  // its links
    unsigned char before[8];
    std::memcpy(before, run[0] + word, 8);
    std::memset(run[0] + word, 0x40, 8);
    EXPECT_DEATH(static_cast<void>(r_.try_expand(grows, 100, 200)),
                 "this block was written to after it was freed");
    std::memcpy(run[0] + word, before, 8);
  }
  EXPECT_TRUE(r_.try_expand(grows, 100, 400));
  EXPECT_EQ(r_.check(), 0);
}

TEST(RegionCheck, NamesTheBrokenInvariant) {
  if (detail::probe::is_watched) GTEST_SKIP() << "the sanitizer reports it first";
  // Changes every byte of the buffer that is not a user's. The walk must survive, and notice most.
  std::vector<unsigned char> memory(6000);
  region r(memory.data(), memory.size());
  r.limit_deferred(500);
  std::vector<unsigned char*> live;
  for (std::size_t i = 0; i < 40; ++i)
    live.push_back(static_cast<unsigned char*>(r.allocate(20 + i * 3)));
  for (const int i : {3, 4, 7, 11, 20, 22, 30}) {
    r.deallocate(live[static_cast<std::size_t>(i)]);
    live[static_cast<std::size_t>(i)] = nullptr;
  }
  ASSERT_EQ(r.check(), 0);
  std::vector<bool> noticed_names(12);
  std::size_t changed = 0, noticed = 0;
  for (unsigned char& byte : memory) {
    for (const unsigned char flip : {0x01, 0x02, 0x04, 0x10, 0x80, 0xff}) {
      byte ^= flip;
      const int broken = r.check();
      byte ^= flip;
      ++changed;
      noticed += broken != 0;
      noticed_names[static_cast<std::size_t>(broken)] = true;
    }
  }
  ASSERT_EQ(r.check(), 0);
  // Headers are a tenth of such a buffer, and most changes of a seal or a size are noticed.
  EXPECT_GT(noticed, changed / 20);
  for (int name : {2, 3, 4, 6, 7}) {
    EXPECT_TRUE(noticed_names[static_cast<std::size_t>(name)])
        << hs_region_invariant(name) << " was never broken";
  }
}

TEST(RegionCheck, DetectsAChangeOfAnyByteOfAnyHeader) {
  if (detail::probe::is_watched) GTEST_SKIP() << "the sanitizer reports it first";
  region r(buffer, 4096);
  std::vector<unsigned char*> live;
  while (void* const p = r.try_allocate(100)) live.push_back(static_cast<unsigned char*>(p));
  r.deallocate(live[5]);
  for (unsigned char* p : live)
    for (int byte = 1; byte <= 8; ++byte)
      for (int bit = 0; bit < 8; ++bit) {
        p[-byte] ^= static_cast<unsigned char>(1 << bit);
        ASSERT_NE(r.check(), 0) << "byte " << byte << " bit " << bit;
        p[-byte] ^= static_cast<unsigned char>(1 << bit);
      }
  EXPECT_EQ(r.check(), 0);
}

}  // namespace
}  // namespace heapsmith
