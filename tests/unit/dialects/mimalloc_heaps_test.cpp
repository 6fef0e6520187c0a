// Heaps of mimalloc's interface: their blocks, their ends, and the default heap of a thread.
#include <gtest/gtest.h>
#include <string.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "adapt/dialects/mimalloc/functions.h"
#include "heapsmith/heapsmith.h"

namespace {

std::size_t bytes_in_use() {
  hs_statistics s;
  s.size = sizeof s;
  hs_stats(&s);
  return s.in_use_bytes;
}

std::size_t metadata_bytes() {
  hs_statistics s;
  s.size = sizeof s;
  hs_stats(&s);
  return s.metadata_bytes;
}

TEST(MimallocHeap, HasItsBlocks) {
  mi_heap_t* heap = mi_heap_new();
  for (void* p :
       {mi_heap_malloc(heap, 100), mi_heap_zalloc(heap, 100'000), mi_heap_calloc(heap, 1 << 20, 40),
        mi_heap_malloc_aligned(heap, 100, 512), static_cast<void*>(mi_heap_strdup(heap, "text"))}) {
    ASSERT_NE(p, nullptr);
    EXPECT_TRUE(mi_heap_contains_block(heap, p));
    EXPECT_TRUE(mi_heap_check_owned(heap, p));
    EXPECT_FALSE(mi_check_owned(p)) << "it is not of the default heap";
    EXPECT_FALSE(mi_heap_contains_block(mi_heap_get_backing(), p));
    EXPECT_TRUE(mi_is_in_heap_region(p));
  }
  void* other = mi_malloc(100);
  EXPECT_FALSE(mi_heap_contains_block(heap, other));
  other = mi_heap_realloc(heap, other, 5000);
  EXPECT_TRUE(mi_heap_contains_block(heap, other)) << "a block that moves goes to the heap";
  EXPECT_FALSE(mi_heap_visit_blocks(heap, true, nullptr, nullptr));
  mi_heap_destroy(heap);
}

TEST(MimallocHeap, KeepsItsBlocksIfItWasMadeSo) {
  for (mi_heap_t* heap : {mi_heap_new_ex(0, false, 0), mi_heap_new_in_arena(0)}) {
    auto* const p = static_cast<char*>(mi_heap_zalloc_small(heap, 100));
    mi_heap_t* const before = mi_heap_set_default(heap);
    EXPECT_EQ(mi_heap_get_default(), heap);
    mi_heap_set_default(before);
    mi_heap_destroy(heap);
    EXPECT_TRUE(mi_is_in_heap_region(p));
    memset(p, 1, 100);
    mi_free_small(p);
  }
  mi_heap_t* const heap = mi_heap_new_ex(3, true, 0);
  const std::size_t before = bytes_in_use();
  EXPECT_NE(mi_heap_malloc(heap, 500), nullptr);
  mi_heap_destroy(heap);
  EXPECT_EQ(bytes_in_use(), before);
  EXPECT_EQ(mi_heap_new_ex(0, true, 1), nullptr) << "there is no other arena";
}

TEST(MimallocHeap, TakesHeapsOfOthersForThatOfTheProcess) {
  alignas(16) char theirs[256] = {};
  auto* const heap = reinterpret_cast<mi_heap_t*>(theirs);
  void* const p = mi_heap_malloc(heap, 100);
  EXPECT_TRUE(mi_heap_contains_block(mi_heap_get_backing(), p));
  mi_heap_destroy(heap);
  mi_heap_delete(heap);
  mi_free(mi_heap_realloc(heap, p, 5000));
}

TEST(Mimalloc, TellsUsableSizes) {
  std::size_t size = 0, after = 0;
  void* p = mi_umalloc(100, &size);
  EXPECT_EQ(size, mi_usable_size(p));
  p = mi_urealloc(p, 5000, &size, &after);
  EXPECT_LT(size, 5000u);
  EXPECT_EQ(after, mi_usable_size(p));
  mi_ufree(p, &size);
  EXPECT_EQ(size, after);
  mi_ufree(mi_uzalloc_aligned(100, 64, &size), nullptr);
  mi_ufree(nullptr, &size);
  EXPECT_EQ(size, 0u);
}

TEST(MimallocHeap, EndsItsBlocksWhenDestroyed) {
  const std::size_t before = bytes_in_use();
  mi_heap_t* heap = mi_heap_new();
  for (int i = 0; i < 1000; ++i) memset(mi_heap_malloc(heap, 500), 1, 500);
  EXPECT_GT(bytes_in_use(), before + 400'000);
  mi_heap_destroy(heap);
  EXPECT_EQ(bytes_in_use(), before);
  mi_heap_destroy(nullptr);
  mi_heap_destroy(mi_heap_get_backing());
  mi_heap_delete(mi_heap_get_backing());
}

TEST(MimallocHeap, LeavesItsBlocksWhenDeleted) {
  mi_heap_t* heap = mi_heap_new();
  std::vector<char*> blocks(1000);
  for (char*& p : blocks) memset(p = static_cast<char*>(mi_heap_malloc(heap, 500)), 5, 500);
  mi_heap_delete(heap);
  std::thread([&] {
    for (std::size_t i = 0; i < blocks.size(); i += 2) mi_free(blocks[i]);
  }).join();
  for (std::size_t i = 1; i < blocks.size(); i += 2) {
    EXPECT_EQ(blocks[i][499], 5);
    blocks[i] = static_cast<char*>(mi_realloc(blocks[i], 600));
    EXPECT_EQ(blocks[i][499], 5);
    mi_free(blocks[i]);
  }
}

TEST(MimallocHeap, ServesAgainOnlyWhenItsLastBlockIsFreed) {
  mi_heap_t* heap = mi_heap_new();
  void* p = mi_heap_malloc(heap, 500);
  mi_heap_delete(heap);
  mi_heap_t* second = mi_heap_new();
  EXPECT_NE(second, heap) << "a block lives";
  mi_heap_destroy(second);
  memset(p, 1, 500);
  mi_free(p);
  mi_collect(true);
  std::set<mi_heap_t*> next;
  for (int i = 0; i < 3; ++i) next.insert(mi_heap_new());
  EXPECT_TRUE(next.count(heap)) << "its memory is used again";
  for (mi_heap_t* h : next) mi_heap_destroy(h);
}

TEST(MimallocHeap, DoesNotServeAgainWhileAThreadMayBeAtWorkInIt) {
  mi_heap_t* heap = mi_heap_new();
  void* p = mi_heap_malloc(heap, 100'000);
  mi_heap_delete(heap);
  std::atomic<int> step{0};
  std::thread other([&] {
    void* small = mi_heap_malloc(heap, 100);  // as if the block had lived before the heap was left
    mi_free(small);
    mi_free(p);
    mi_collect(true);
    step = 1;
    step.notify_all();
    step.wait(1);
  });
  step.wait(0);
  mi_heap_t* second = mi_heap_new();
  EXPECT_NE(second, heap);
  step = 2;
  step.notify_all();
  other.join();
  mi_heap_t* third = mi_heap_new();
  EXPECT_EQ(third, heap);
  mi_heap_destroy(second);
  mi_heap_destroy(third);
}

TEST(MimallocHeap, TakesNoMoreMetadataHoweverOftenItIsDeleted) {
  const auto use = [] {
    mi_heap_t* heap = mi_heap_new();
    void* p = mi_heap_malloc(heap, 100);
    mi_free(p);
    mi_heap_delete(heap);
  };
  for (int i = 0; i < 10; ++i) use();
  const std::size_t before = metadata_bytes();
  for (int i = 0; i < 10'000; ++i) use();
  EXPECT_EQ(metadata_bytes(), before);
}

TEST(MimallocHeap, TakesNoMoreMemoryIfItsBlocksOutliveIt) {
  void* last = nullptr;
  const auto use = [&](bool elsewhere) {
    mi_heap_t* heap = mi_heap_new();
    void* p = mi_heap_malloc(heap, 100);
    for (int i = 0; i < 3; ++i) mi_free(mi_heap_malloc(heap, 5000));
    mi_heap_delete(heap);
    if (elsewhere)
      std::thread([=] { mi_free(last); }).join();
    else
      mi_free(last);
    last = p;
  };
  for (const bool elsewhere : {false, true}) {
    for (int i = 0; i < 50; ++i) use(elsewhere);
    hs_statistics before, after;
    before.size = after.size = sizeof before;
    hs_stats(&before);
    for (int i = 0; i < 500; ++i) use(elsewhere);
    hs_stats(&after);
    EXPECT_EQ(after.metadata_bytes, before.metadata_bytes) << elsewhere;
    EXPECT_EQ(after.committed_bytes, before.committed_bytes) << elsewhere;
  }
}

TEST(MimallocHeap, IsTheDefaultOfOneThread) {
  mi_heap_t* heap = mi_heap_new();
  EXPECT_EQ(mi_heap_get_default(), mi_heap_get_backing());
  EXPECT_EQ(mi_heap_set_default(heap), mi_heap_get_backing());
  EXPECT_EQ(mi_heap_get_default(), heap);
  for (void* p : {mi_malloc(100), mi_zalloc(100), mi_malloc_aligned(100, 64), mi_new(100),
                  static_cast<void*>(mi_strdup("x"))})
    EXPECT_TRUE(mi_heap_contains_block(heap, p));
  std::thread([&] {
    void* p = mi_malloc(100);
    EXPECT_TRUE(mi_heap_contains_block(mi_heap_get_backing(), p));
    mi_free(p);
  }).join();
  mi_heap_delete(heap);
  EXPECT_EQ(mi_heap_get_default(), mi_heap_get_backing());
}

}  // namespace
