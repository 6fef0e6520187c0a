// The caches of a concurrent region: sizes and lists exhaustively, and lists of blocks.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "heapsmith/detail/region/cache_set.hpp"
#include "heapsmith/detail/region/region_header.hpp"
#include "region/block.hpp"

namespace heapsmith::detail {
namespace {

constexpr unsigned lists = 64;
using cache_of_region = block_cache<lists>;
using caches_of_region = cache_set<lists, 32>;

// The layout of a header in the region and in the concurrent readers.
static_assert(region_header::after_free == regions::after_free);
static_assert(region_header::seal_shift == regions::seal_shift);
static_assert(sizeof(probe::word) == regions::header_bytes);
static_assert(cache_lists::usable_bytes(1) == regions::usable_bytes(regions::block_min));

TEST(CacheLists, TheSmallestSufficientListServes) {
  for (std::size_t bytes = 0; bytes <= cache_lists::usable_bytes(lists); ++bytes) {
    const unsigned list = cache_lists::serving(bytes);
    ASSERT_GE(list, 1u);
    ASSERT_LE(list, lists);
    ASSERT_GE(cache_lists::usable_bytes(list), bytes);
    // The region would use the same size for the request.
    ASSERT_EQ(regions::usable_bytes(regions::block_size(bytes)), cache_lists::usable_bytes(list));
  }
}

TEST(CacheLists, BatchesAreSmallAndMoreThanOneBlock) {
  for (unsigned list = 1; list <= lists; ++list) {
    EXPECT_GE(cache_lists::batch(list), 4u);
    EXPECT_LE(cache_lists::batch(list), 32u);
    EXPECT_LE(cache_lists::batch(list) * cache_lists::usable_bytes(list), 4352u);
    EXPECT_GT(cache_lists::most_blocks(list), cache_lists::batch(list));
  }
}

/// Memory for the blocks of one list.
class BlockCache : public testing::Test {
 protected:
  static constexpr unsigned list = 4;
  static constexpr unsigned batch = cache_lists::batch(list);
  static constexpr std::size_t bytes = cache_lists::usable_bytes(list);

  BlockCache() { cache_->set_budget(1 << 20); }

  void* block(unsigned i) { return &memory_[i]; }
  auto give() {
    return [this](void* p, unsigned its_list) {
      EXPECT_EQ(its_list, list);
      EXPECT_TRUE(given_.insert(p).second);
    };
  }
  bool is_sound() const {
    return cache_->is_sound([](const void*, unsigned its_list) { return its_list == list; });
  }

  struct alignas(16) room {
    unsigned char bytes[80];
  };
  room memory_[200] = {};
  std::unique_ptr<cache_of_region> cache_ = std::make_unique<cache_of_region>();
  std::set<void*> given_;
};

TEST_F(BlockCache, LastInFirstOut) {
  EXPECT_EQ(cache_->take(list), nullptr);
  for (unsigned i = 0; i < 10; ++i) cache_->keep(block(i), list);
  EXPECT_EQ(cache_->held_blocks(), 10u);
  EXPECT_EQ(cache_->held_bytes(), 10 * bytes);
  EXPECT_TRUE(is_sound());
  EXPECT_TRUE(cache_->holds(block(3), list));
  EXPECT_FALSE(cache_->holds(block(10), list));
  EXPECT_EQ(cache_->take(list + 1), nullptr);
  for (unsigned i = 10; i-- > 0;) EXPECT_EQ(cache_->take(list), block(i));
  EXPECT_EQ(cache_->take(list), nullptr);
  EXPECT_EQ(cache_->held_bytes(), 0u);
  EXPECT_TRUE(is_sound());
}

TEST_F(BlockCache, BlocksAreMarkedWhileTheyAreCached) {
  EXPECT_FALSE(cached_block::at(block(0))->is_marked());
  cache_->keep(block(0), list);
  EXPECT_TRUE(cached_block::at(block(0))->is_marked());
  memory_[1] = memory_[0];  // the mark of one block is not valid for another
  EXPECT_FALSE(cached_block::at(block(1))->is_marked());
  EXPECT_EQ(cache_->take(list), block(0));
  EXPECT_FALSE(cached_block::at(block(0))->is_marked());
}

TEST_F(BlockCache, AFullListGivesItsOlderHalf) {
  for (unsigned i = 0; i < 2 * batch; ++i) {
    ASSERT_TRUE(cache_->has_room(list));
    cache_->keep(block(i), list);
  }
  ASSERT_FALSE(cache_->has_room(list));
  EXPECT_TRUE(cache_->has_room(list + 1));
  cache_->make_room(list, give());
  EXPECT_TRUE(cache_->has_room(list));
  EXPECT_TRUE(is_sound());
  EXPECT_EQ(given_.size(), batch);
  for (unsigned i = 0; i < batch; ++i) EXPECT_EQ(given_.count(block(i)), 1u);
  EXPECT_EQ(cache_->held_blocks(), batch);
  EXPECT_EQ(cache_->take(list), block(2 * batch - 1));
}

TEST_F(BlockCache, ListsGiveTheirOlderHalfInTurnAboveTheBudget) {
  cache_->set_budget(4 * bytes);
  for (unsigned i = 0; i < 4; ++i) cache_->keep(block(i), list);
  EXPECT_FALSE(cache_->has_room(list));
  EXPECT_FALSE(cache_->has_room(1));
  EXPECT_TRUE(is_sound());
  cache_->make_room(1, give());
  EXPECT_EQ(given_, (std::set<void*>{block(0), block(1)}));
  EXPECT_TRUE(cache_->has_room(1));
  EXPECT_TRUE(is_sound());
  cache_->make_room(lists, give());
  EXPECT_EQ(given_.size(), 4u) << "all blocks, if the budget is smaller than the block";
  EXPECT_FALSE(cache_->has_room(lists));
  EXPECT_EQ(cache_->held_bytes(), 0u);
  EXPECT_TRUE(is_sound());
}

TEST_F(BlockCache, AllBlocksCanBeGiven) {
  for (unsigned i = 0; i < 5; ++i) cache_->keep(block(i), list);
  cache_->give_all(give());
  EXPECT_EQ(given_.size(), 5u);
  EXPECT_EQ(cache_->held_blocks(), 0u);
  EXPECT_EQ(cache_->held_bytes(), 0u);
  EXPECT_TRUE(is_sound());
}

TEST_F(BlockCache, TheCheckDetectsDamage) {
  for (unsigned i = 0; i < 4; ++i) cache_->keep(block(i), list);
  EXPECT_FALSE(cache_->is_sound([](const void*, unsigned) { return false; }));
  cached_block::at(block(2))->clear_mark();  // a write after the free
  EXPECT_FALSE(is_sound());
  cached_block::at(block(2))->set_mark();
  ASSERT_TRUE(is_sound());
  cached_block::at(block(2))->link_to(nullptr);
  EXPECT_FALSE(is_sound());
  cached_block::at(block(2))->link_to(cached_block::at(block(2)));  // a circle
  EXPECT_FALSE(is_sound());
}

TEST(CacheSet, AThreadKeepsItsCacheAndMovesOnIfItIsLocked) {
  const auto caches = std::make_unique<caches_of_region>();
  cache_of_region* first = caches->acquire_one();
  ASSERT_NE(first, nullptr);
  first->lock.release();
  EXPECT_EQ(caches->acquire_one(), first);
  cache_of_region* second = caches->acquire_one();  // as if another thread held the first one
  ASSERT_NE(second, nullptr);
  EXPECT_NE(second, first);
  first->lock.release();
  second->lock.release();
  EXPECT_EQ(caches->acquire_one(), second) << "it keeps the new cache";
  second->lock.release();
}

TEST(CacheSet, NoThreadWaitsIfAllCachesAreLocked) {
  const auto caches = std::make_unique<caches_of_region>();
  std::set<cache_of_region*> seen;
  for (unsigned i = 0; i < caches_of_region::count; ++i)
    EXPECT_TRUE(seen.insert(caches->acquire_one()).second);
  EXPECT_EQ(seen.count(nullptr), 0u);
  EXPECT_EQ(caches->acquire_one(), nullptr);
  caches->release_all();
  caches->acquire_all();
  EXPECT_EQ(caches->acquire_one(), nullptr);
  caches->release_all();
}

}  // namespace
}  // namespace heapsmith::detail
