// The requirements of the resource concept.
#include <gtest/gtest.h>

#include <new>
#include <random>
#include <set>
#include <vector>

#include "blocks.hpp"
#include "resources.hpp"

namespace heapsmith::contract {
namespace {

template <class R>
class Contract : public testing::Test {
 protected:
  block allocate(std::size_t bytes, std::size_t align, unsigned seed) {
    const block b{resource_.allocate(bytes, align), bytes, align, seed};
    EXPECT_NE(b.pointer, nullptr);
    EXPECT_TRUE(b.is_aligned()) << bytes << " at " << align;
    b.fill();
    return b;
  }

  void deallocate(const block& b) {
    EXPECT_TRUE(b.is_intact()) << b.bytes << " at " << b.align;
    resource_.deallocate(b.pointer, b.bytes, b.align);
  }

  R resource_ = kit<R>::make();
};
TYPED_TEST_SUITE(Contract, resources, names);

std::vector<std::size_t> alignments() {
  std::vector<std::size_t> all = {64 * 1024};
  for (std::size_t align = 1; align <= 4096; align *= 2) all.push_back(align);
  return all;
}

TYPED_TEST(Contract, EveryAlignmentWithEverySize) {
  for (const std::size_t align : alignments()) {
    std::vector<block> live;
    for (std::size_t bytes = 0; bytes <= 300'000; bytes += bytes < 130 ? 1 : bytes / 3)
      live.push_back(this->allocate(bytes, align, static_cast<unsigned>(live.size())));
    for (const block& b : live) this->deallocate(b);
  }
}

TYPED_TEST(Contract, LargeBlocks) {
  for (std::size_t bytes = 32 * 1024 - 1; bytes <= kit<TypeParam>::largest; bytes *= 2) {
    const block a = this->allocate(bytes, 1, 1), b = this->allocate(bytes + 2, 4096, 2);
    this->deallocate(a);
    this->deallocate(b);
  }
}

TYPED_TEST(Contract, BlocksOfZeroBytesAreUnique) {
  std::set<void*> seen = {nullptr};
  std::vector<block> live;
  for (const std::size_t align : alignments())
    for (unsigned i = 0; i < 20; ++i) {
      live.push_back(this->allocate(0, align, i));
      EXPECT_TRUE(seen.insert(live.back().pointer).second);
    }
  for (const block& b : live) this->deallocate(b);
}

TYPED_TEST(Contract, BlocksDoNotOverlapInRandomSteps) {
  std::mt19937 random(17);
  std::vector<block> live;
  for (unsigned step = 0; step < 20'000; ++step) {
    if (live.size() < 100 || random() % 2 == 0) {
      const std::size_t bytes = random() % 50 == 0 ? random() % 200'000 : random() % 2000;
      const std::size_t align = random() % 4 == 0 ? std::size_t{1} << random() % 13 : 1;
      live.push_back(this->allocate(bytes, align, step));
    } else {
      std::swap(live[random() % live.size()], live.back());
      this->deallocate(live.back());
      live.pop_back();
    }
  }
  for (const block& b : live) this->deallocate(b);
}

TYPED_TEST(Contract, NullIsNoBlock) {
  const block live = this->allocate(100, 16, 1);
  for (const std::size_t align : alignments())
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{64}, std::size_t{1} << 20})
      this->resource_.deallocate(nullptr, bytes, align);
  const block other = this->allocate(100, 16, 2);
  this->deallocate(live);
  this->deallocate(other);
}

TYPED_TEST(Contract, TryAllocateServesAllAlignments) {
  for (const std::size_t align : alignments()) {
    const block b{this->resource_.try_allocate(1000, align), 1000, align, 3};
    ASSERT_NE(b.pointer, nullptr);
    EXPECT_TRUE(b.is_aligned());
    b.fill();
    this->deallocate(b);
  }
}

TYPED_TEST(Contract, FreedMemoryIsReused) {
  if (!kit<TypeParam>::reuses) GTEST_SKIP() << "not in this build";
  std::set<void*> addresses;
  for (unsigned i = 0; i < 5000; ++i) {
    const block b = this->allocate(5000, 16, i);
    addresses.insert(b.pointer);
    this->deallocate(b);
  }
  EXPECT_LT(addresses.size(), 500u);
}

TYPED_TEST(Contract, ExhaustionThrowsOrReturnsNullAndEnds) {
  const block before = this->allocate(100, 1, 1);
  {
    const typename kit<TypeParam>::scarcity scarce;
    if (!scarce) {
      this->deallocate(before);
      GTEST_SKIP() << "memory cannot be made scarce for this resource in this build";
    }
    constexpr std::size_t bytes = 300'000;
    static block live[20'000];  // a vector could not grow
    std::size_t n = 0;
    for (void* p; n < std::size(live) && (p = this->resource_.try_allocate(bytes, 64)) != nullptr;
         ++n)
      live[n] = {p, bytes, 64, static_cast<unsigned>(n)}, live[n].fill();
    ASSERT_LT(n, std::size(live)) << "memory did not become scarce";
    EXPECT_GT(n, 0u);
    bool threw = false;
    try {
      this->resource_.deallocate(this->resource_.allocate(bytes, 64), bytes, 64);
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    EXPECT_TRUE(threw);
    // After some blocks are freed, there is room for one at once. (libc takes 1 MiB at a time.)
    ASSERT_GT(n, 16u);
    for (int i = 0; i < 16; ++i) this->deallocate(live[--n]);
    const block again = this->allocate(bytes, 64, 5);
    this->deallocate(again);
    while (n > 0) this->deallocate(live[--n]);
  }
  const block after = this->allocate(8'000'000, 1, 2);
  this->deallocate(after);
  this->deallocate(before);
}

TYPED_TEST(Contract, ImpossibleSizesAreRefused) {
  if (kit<TypeParam>::refused == 0) GTEST_SKIP() << "this build aborts instead";
  volatile std::size_t bytes = kit<TypeParam>::refused;
  for (const std::size_t align : {std::size_t{1}, std::size_t{64}, std::size_t{4096}}) {
    EXPECT_EQ(this->resource_.try_allocate(bytes, align), nullptr);
    EXPECT_THROW(static_cast<void>(this->resource_.allocate(bytes, align)), std::bad_alloc);
  }
  const block b = this->allocate(100, 1, 1);
  this->deallocate(b);
}

}  // namespace
}  // namespace heapsmith::contract
