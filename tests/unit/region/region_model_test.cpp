// Random calls on a region, compared with a model that knows the contents of every block.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "heapsmith/region.hpp"
#include "heapsmith/small_region.hpp"

namespace heapsmith {
namespace {

struct live {
  unsigned char* p;
  std::size_t bytes, align;
  unsigned char mark;
};

template <class R>
class model {
 public:
  model(R& r, unsigned seed, std::size_t largest) : region_(r), random_(seed), largest_(largest) {}

  void step() {
    const unsigned what = random_() % 10;
    if (what < 4 || blocks_.empty())
      allocate();
    else if (what < 7)
      deallocate(pick());
    else if (what < 9)
      reallocate(pick());
    else
      expand(pick());
  }

  void finish() {
    while (!blocks_.empty()) deallocate(blocks_.size() - 1);
  }

  [[nodiscard]] std::size_t refused() const { return refused_; }
  [[nodiscard]] std::size_t moved() const { return moved_; }
  [[nodiscard]] std::size_t in_place() const { return in_place_; }

  void expect_intact() const {
    for (const live& b : blocks_) expect_filled(b, b.bytes);
  }

 private:
  std::size_t pick() { return random_() % blocks_.size(); }

  std::size_t some_bytes() {
    const std::size_t limit = std::size_t{1} << (3 + random_() % 14);
    return 1 + random_() % (limit < largest_ ? limit : largest_);
  }

  void fill(live& b) {
    b.mark = static_cast<unsigned char>(random_());
    std::memset(b.p, b.mark, b.bytes);
  }

  static void expect_filled(const live& b, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(b.p[i], b.mark) << "byte " << i << " of " << b.bytes;
  }

  void allocate() {
    live b = {nullptr, some_bytes(), 16, 0};
    if (random_() % 8 == 0) b.align = std::size_t{16} << random_() % 9;
    b.p = static_cast<unsigned char*>(region_.try_allocate(b.bytes, b.align));
    if (b.p == nullptr) {
      ++refused_;
      return;
    }
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(b.p) % b.align, 0u);
    ASSERT_GE(region_.usable_size(b.p), b.bytes);
    fill(b);
    blocks_.push_back(b);
  }

  void deallocate(std::size_t i) {
    expect_filled(blocks_[i], blocks_[i].bytes);
    region_.deallocate(blocks_[i].p, blocks_[i].bytes, blocks_[i].align);
    blocks_[i] = blocks_.back();
    blocks_.pop_back();
  }

  void reallocate(std::size_t i) {
    live& b = blocks_[i];
    const std::size_t to = some_bytes();
    void* const p = region_.try_reallocate(b.p, b.bytes, to, b.align);
    if (p == nullptr) {
      ++refused_;
      return expect_filled(b, b.bytes);
    }
    ++(p == b.p ? in_place_ : moved_);
    b.p = static_cast<unsigned char*>(p);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(b.p) % b.align, 0u);
    expect_filled(b, std::min(b.bytes, to));
    b.bytes = to;
    fill(b);
  }

  void expand(std::size_t i) {
    live& b = blocks_[i];
    const std::size_t to = some_bytes();
    const bool done = region_.try_expand(b.p, b.bytes, to, b.align);
    ASSERT_TRUE(done || to > b.bytes) << "shrinking never fails";
    expect_filled(b, done ? std::min(b.bytes, to) : b.bytes);
    if (!done) return;
    b.bytes = to;
    fill(b);
  }

  R& region_;
  std::mt19937 random_;
  std::size_t largest_;
  std::vector<live> blocks_;
  std::size_t refused_ = 0, moved_ = 0, in_place_ = 0;
};

std::vector<unsigned char>& memory(std::size_t bytes) {
  static std::vector<unsigned char> all;
  all.assign(bytes, 0xa5);
  return all;
}

template <class R>
class RegionModel : public testing::Test {};
using regions_of_all_bins = testing::Types<region, small_region>;
TYPED_TEST_SUITE(RegionModel, regions_of_all_bins);

TYPED_TEST(RegionModel, EveryCallKeepsEveryInvariant) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    auto& buffer = memory(20'000 + 997 * seed);
    TypeParam r(buffer.data() + seed, buffer.size() - seed);
    model m(r, seed, 4000);
    for (int i = 0; i < 2'000; ++i) {
      m.step();
      ASSERT_STREQ(hs_region_invariant(r.check()), "") << "seed " << seed << " step " << i;
    }
    EXPECT_GT(m.refused(), 0u) << "the buffer is so large that no request fails";
    EXPECT_GT(m.in_place(), 0u);
    m.finish();
    r.defragment();
    EXPECT_EQ(r.stats().in_use_bytes, 0u);
    EXPECT_EQ(r.stats().blocks, 1u);
    EXPECT_EQ(r.check(), 0);
  }
}

TEST(SmallRegionModel, AFewKilobytesServeManySmallBlocks) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    auto& buffer = memory(4096);
    small_region r(buffer.data(), buffer.size());
    model m(r, seed, 300);
    for (int i = 0; i < 5'000; ++i) {
      m.step();
      ASSERT_STREQ(hs_region_invariant(r.check()), "") << "seed " << seed << " step " << i;
    }
    EXPECT_GT(m.refused(), 0u);
    m.finish();
    r.defragment();
    EXPECT_EQ(r.stats().blocks, 1u);
  }
}

TEST(SmallRegionModel, AMegabyteLivesInTrees) {
  auto& buffer = memory(HS_SMALL_REGION_END - 1);
  small_region r(buffer.data(), buffer.size());
  model m(r, 7, std::size_t{1} << 16);
  for (int i = 0; i < 30'000; ++i) {
    m.step();
    if (i % 100 == 0) {
      ASSERT_STREQ(hs_region_invariant(r.check()), "") << i;
    }
  }
  EXPECT_GT(m.refused(), 0u);
  m.expect_intact();
  m.finish();
  r.defragment();
  EXPECT_EQ(r.stats().blocks, 1u);
}

TEST(FineRegionModel, LargeBlocksLiveInTreesOfManySizes) {
  auto& buffer = memory(std::size_t{24} << 20);
  region r(buffer.data(), buffer.size());
  model m(r, 7, std::size_t{1} << 16);
  for (int i = 0; i < 60'000; ++i) {
    m.step();
    if (i % 500 == 0) {
      ASSERT_STREQ(hs_region_invariant(r.check()), "") << i;
    }
  }
  m.expect_intact();
  m.finish();
  r.defragment();
  EXPECT_EQ(r.stats().blocks, 1u);
}

TEST(FineRegionModel, SeveralBuffersServeTogether) {
  auto& buffer = memory(100'000);
  region r;
  for (std::size_t at = 0; at + 9'000 <= buffer.size(); at += 10'001)
    ASSERT_TRUE(r.add_memory(buffer.data() + at, 9'000));
  EXPECT_EQ(r.stats().buffers, 10u);
  model m(r, 3, 4000);
  for (int i = 0; i < 20'000; ++i) {
    m.step();
    ASSERT_STREQ(hs_region_invariant(r.check()), "") << i;
  }
  m.finish();
  r.defragment();
  EXPECT_EQ(r.stats().blocks, 10u);
}

}  // namespace
}  // namespace heapsmith
