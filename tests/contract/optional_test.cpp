// The optional operations of resources: a resource that has one must keep its promise.
#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <random>
#include <set>
#include <vector>

#include "blocks.hpp"
#include "resources.hpp"

namespace heapsmith::contract {
namespace {

static_assert(heapsmith::resettable_resource<heapsmith::heap>);

template <class R>
class Optional : public testing::Test {
 protected:
  R resource_ = kit<R>::make();
};
TYPED_TEST_SUITE(Optional, resources, names);

template <class R>
std::vector<block> filled_blocks(R& r, unsigned count, std::size_t bytes) {
  std::vector<block> blocks;
  for (unsigned i = 0; i < count; ++i) {
    blocks.push_back({r.allocate(bytes, 8), bytes, 8, i});
    blocks.back().fill();
  }
  return blocks;
}

#define HS_NEEDS(concept_name)                                                                     \
  if constexpr (!concept_name<TypeParam>)                                                          \
    GTEST_SKIP() << "the resource does not have it";                                               \
  else

TYPED_TEST(Optional, TryExpandKeepsPlaceAndContents) {
  HS_NEEDS(expanding_resource) {
    auto& r = this->resource_;
    unsigned expanded = 0;
    for (const std::size_t from : {1, 100, 5000, 70'000, 3'000'000}) {
      for (const std::size_t align : {std::size_t{16}, std::size_t{4096}}) {
        const block b{r.allocate(from, align), from, align, 1};
        b.fill();
        std::size_t bytes = from;
        for (const std::size_t to : {from, from + 1, from + from / 2, 2 * from, 64 * from}) {
          if (!r.try_expand(b.pointer, bytes, to, align)) continue;
          ++expanded;
          bytes = to;
          EXPECT_TRUE(b.is_intact());
          block{b.pointer, bytes, align, 1}.fill();
        }
        EXPECT_TRUE((block{b.pointer, bytes, align, 1}.is_intact()));
        r.deallocate(b.pointer, bytes, align);
      }
    }
    EXPECT_GE(expanded, 10u) << "at least to its own size";
  }
}

TYPED_TEST(Optional, ReallocateKeepsContentsAndAlignment) {
  HS_NEEDS(reallocating_resource) {
    auto& r = this->resource_;
    std::mt19937 random(23);
    for (std::size_t align = 1; align <= 4096; align *= 2) {
      block b{r.allocate(100, align), 100, align, 0};
      for (unsigned step = 1; step <= 200; ++step) {
        b.fill();
        const std::size_t to = 1 + random() % (step % 20 == 0 ? 2'000'000 : 5000);
        b.pointer = r.reallocate(b.pointer, b.bytes, to, align);
        ASSERT_TRUE(b.is_aligned());
        ASSERT_TRUE(b.is_intact_up_to(std::min(b.bytes, to))) << b.bytes << " to " << to;
        b.bytes = to;
        b.seed = step;
      }
      r.deallocate(b.pointer, b.bytes, align);
    }
  }
}

TYPED_TEST(Optional, ReallocateLeavesTheBlockIfItThrows) {
  HS_NEEDS(reallocating_resource) {
    if (kit<TypeParam>::refused == 0) GTEST_SKIP() << "this build aborts instead";
    auto& r = this->resource_;
    for (const std::size_t align : {std::size_t{1}, std::size_t{4096}}) {
      const block b{r.allocate(5000, align), 5000, align, 4};
      b.fill();
      volatile std::size_t bytes = kit<TypeParam>::refused;
      EXPECT_THROW(static_cast<void>(r.reallocate(b.pointer, 5000, bytes, align)), std::bad_alloc);
      EXPECT_TRUE(b.is_intact());
      r.deallocate(b.pointer, b.bytes, align);
    }
  }
}

TYPED_TEST(Optional, AllocateAtLeastReturnsUsableBytes) {
  HS_NEEDS(generous_resource) {
    auto& r = this->resource_;
    std::vector<block> live;
    for (std::size_t bytes = 0; bytes <= 500'000; bytes = bytes * 3 / 2 + 1) {
      for (const std::size_t align : {std::size_t{1}, std::size_t{64}, std::size_t{4096}}) {
        const sized_block got = r.allocate_at_least(bytes, align);
        ASSERT_GE(got.bytes, bytes);
        live.push_back({got.pointer, got.bytes, align, static_cast<unsigned>(live.size())});
        EXPECT_TRUE(live.back().is_aligned());
        live.back().fill();
      }
    }
    for (const block& b : live) {
      EXPECT_TRUE(b.is_intact());
      r.deallocate(b.pointer, b.bytes, b.align);
    }
  }
}

TYPED_TEST(Optional, OwnsItsBlocksOnly) {
  HS_NEEDS(owning_resource) {
    auto& r = this->resource_;
    int local = 0;
    void* p = r.allocate(1000, 16);
    EXPECT_TRUE(r.owns(p));
    EXPECT_TRUE(r.owns(static_cast<char*>(p) + 999));
    EXPECT_FALSE(r.owns(&local));
    EXPECT_FALSE(r.owns(nullptr));
    r.deallocate(p, 1000, 16);
  }
}

TYPED_TEST(Optional, ReleaseMakesRoom) {
  HS_NEEDS(releasing_resource) {
    for (int round = 0; round < 50; ++round) {
      const std::vector<block> live = filled_blocks(this->resource_, 1000, 1000);
      for (const block& b : live) EXPECT_TRUE(b.is_intact());
      this->resource_.release();
    }
  }
}

TYPED_TEST(Optional, ResetEndsAllBlocksAndReusesTheirMemory) {
  HS_NEEDS(resettable_resource) {
    auto& r = this->resource_;
    constexpr int rounds = 20;
    constexpr unsigned blocks = 500;
    std::set<void*> addresses;
    for (int round = 0; round < rounds; ++round) {
      const std::vector<block> live = filled_blocks(r, blocks, 200);
      for (const block& b : live) {
        EXPECT_TRUE(b.is_intact());
        addresses.insert(b.pointer);
      }
      if constexpr (requires { r.stats().spare_pieces; }) {
        const std::size_t pieces = r.stats().pieces;
        r.reset();
        EXPECT_EQ(r.stats().pieces, pieces) << "reset keeps the memory";
      } else {
        r.reset();
      }
    }
    EXPECT_LT(addresses.size(), rounds * blocks / 4);
  }
}

TYPED_TEST(Optional, EqualResourcesFreeEachOthersBlocks) {
  HS_NEEDS(std::equality_comparable) {
    TypeParam other = kit<TypeParam>::make();
    if (!(other == this->resource_)) GTEST_SKIP() << "each has its own memory";
    other.deallocate(this->resource_.allocate(100, 64), 100, 64);
  }
}

}  // namespace
}  // namespace heapsmith::contract
