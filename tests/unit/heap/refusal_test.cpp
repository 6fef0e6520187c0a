// A refusal costs one search, until memory came back that another search could find.
#include <atomic>
#include <thread>

#include "heap/reclaim.hpp"
#include "support/first_class.hpp"
#include "support/heap_blocks.hpp"

namespace heapsmith {
namespace {

constexpr std::size_t small = 1000, other_class = 3000;

/// Allocates blocks until the heap refuses.
std::vector<void*> fill_up(heap& h, std::size_t bytes) {
  std::vector<void*> blocks;
  while (void* p = h.try_allocate(bytes)) blocks.push_back(p);
  return blocks;
}

void free_from(heap& h, const std::vector<void*>& blocks, std::size_t first, std::size_t n) {
  for (std::size_t i = first; i < first + n; ++i) h.deallocate(blocks[i]);
}

/// Whether a search for this thread's own heap would be made now.
bool would_search() {
  return t_heap->searched_at == 0 || reclaim_before_refusal(*t_heap);
}

void search_until_vain() {
  deallocate(allocate(16));  // makes the heap
  int searches = 0;
  while (reclaim_before_refusal(*t_heap)) ASSERT_LT(++searches, 3) << "a search is no news";
}

TEST(Refusal, SearchesOnce) {
  search_until_vain();
  EXPECT_FALSE(would_search());
  void* p = allocate(100);
  void* q = allocate(100);
  deallocate(q);
  EXPECT_FALSE(would_search()) << "no slab became free";
  deallocate(p);
}

TEST(Refusal, SearchesAgainAfterASpanWasKept) {
  search_until_vain();
  deallocate(allocate(1000));  // its slab is set aside
  EXPECT_FALSE(t_heap->kept.empty());
  EXPECT_TRUE(reclaim_before_refusal(*t_heap));
  EXPECT_TRUE(t_heap->kept.empty());
}

TEST(Refusal, SearchesAgainAfterAnotherThreadFilledTheDepot) {
  const std::vector<void*> blocks = test::allocate_many(8, 30'000);
  std::atomic<int> step{0};
  std::thread other([&] {
    deallocate(allocate(16));  // makes its heap
    step.store(1);
    while (step.load() != 2) std::this_thread::yield();
    test::free_all(blocks);
    step.store(3);
    while (step.load() != 4) std::this_thread::yield();
  });
  while (step.load() != 1) std::this_thread::yield();
  search_until_vain();
  step.store(2);
  while (step.load() != 3) std::this_thread::yield();
  EXPECT_TRUE(reclaim_before_refusal(*t_heap));
  step.store(4);
  other.join();
}

TEST(Refusal, SearchesAgainAfterAnotherThreadSentBlocksHome) {
  std::vector<void*> blocks = test::allocate_many(2 * slab_capacity(class_of(small)), small);
  search_until_vain();
  std::thread([&] { test::free_all(blocks); }).join();
  EXPECT_TRUE(reclaim_before_refusal(*t_heap));
}

TEST(Refusal, OfALimitedHeapIsNotRepeatedWithASearch) {
  heap h;
  h.set_limit(MiB);
  const std::vector<void*> blocks = fill_up(h, small);
  EXPECT_EQ(h.try_allocate(other_class), nullptr);
  thread_heap* const sub = remembered_in(*t_heap, *test::behind(h)).sub;
  const std::uint64_t searched = sub->searched_at;
  EXPECT_NE(searched, 0u);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(h.try_allocate(i % 2 != 0 ? other_class : small), nullptr);
  EXPECT_EQ(sub->searched_at, searched);
  EXPECT_FALSE(reclaim_before_refusal(*sub));
}

/// A limited heap, full of small blocks, that has refused others. `release` frees `n` of its
/// blocks, those of at least one slab: then it serves others.
template <class Release>
void expect_service_after(Release release) {
  heap h;
  h.set_limit(MiB);
  const std::vector<void*> blocks = fill_up(h, small);
  const std::size_t n = 2 * slab_capacity(class_of(small));
  for (int i = 0; i < 3; ++i) ASSERT_EQ(h.try_allocate(other_class), nullptr);
  release(h, blocks, n);
  EXPECT_NE(h.try_allocate(other_class), nullptr);
}

TEST(Refusal, EndsWhenTheThreadFreesASlab) {
  expect_service_after(
      [](heap& h, const std::vector<void*>& blocks, std::size_t n) { free_from(h, blocks, 0, n); });
}

TEST(Refusal, EndsWhenAnotherThreadFreesASlab) {
  expect_service_after([](heap& h, const std::vector<void*>& blocks, std::size_t n) {
    std::thread([&] { free_from(h, blocks, 0, n); }).join();
  });
}

TEST(Refusal, EndsWhenTwoThreadsFreeASlabTogether) {
  // The other thread's blocks wait on the slabs when the heap looks in vain; then this thread frees
  // the rest on the fast path, where nothing is counted.
  expect_service_after([](heap& h, const std::vector<void*>& blocks, std::size_t n) {
    for (std::size_t i = 0; i < n; i += 3) h.deallocate(blocks[i]);
    std::thread([&] {
      for (std::size_t i = 1; i < n; i += 3) h.deallocate(blocks[i]);
    }).join();
    while (h.try_allocate(other_class) != nullptr) {
    }
    for (std::size_t i = 2; i < n; i += 3) h.deallocate(blocks[i]);
  });
}

TEST(Refusal, EndsWhenALiveThreadKeepsASpan) {
  heap h;
  h.set_limit(MiB);
  std::atomic<int> step{0};
  const auto wait_for = [&](int n) {
    while (step.load() != n) std::this_thread::yield();
  };
  std::thread other([&] {
    std::vector<void*> theirs;
    for (std::size_t i = 0; i < 2 * slab_capacity(class_of(small)); ++i)
      theirs.push_back(h.allocate(small));
    step.store(1);
    wait_for(2);
    for (void* p : theirs) h.deallocate(p);
    step.store(3);
    wait_for(4);
  });
  wait_for(1);
  fill_up(h, small);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(h.try_allocate(other_class), nullptr);
  step.store(2);
  wait_for(3);
  EXPECT_NE(h.try_allocate(other_class), nullptr) << "the other thread's slabs are free";
  step.store(4);
  other.join();
}

TEST(Refusal, OfTheProcessEndsWhenBlocksAreFreed) {
  hs_set_limit(16 * MiB);
  std::vector<void*> blocks;
  while (void* p = allocate(small)) blocks.push_back(p);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(allocate(other_class), nullptr);
  EXPECT_FALSE(would_search());
  std::thread([&] { test::free_all(blocks); }).join();
  EXPECT_NE(allocate(other_class), nullptr);
  hs_set_limit(0);
}

}  // namespace
}  // namespace heapsmith
