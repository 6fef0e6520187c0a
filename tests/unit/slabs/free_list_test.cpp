// Wrong frees that the fast path lets pass: each slow path that has the slab at hand reports them.
#include <thread>

#include "heap/purge.hpp"
#include "slabs/free_list.hpp"
#include "support/heap_blocks.hpp"

namespace heapsmith {
namespace {

using test::allocate_many;
using test::slab_behind;

constexpr char twice[] = "heapsmith: earlier free\\(0x[0-9a-f]+\\): freed twice";
constexpr char middle[] = "heapsmith: earlier free\\(0x[0-9a-f]+\\): points into the middle";
constexpr char written[] = "heapsmith: earlier free\\(0x[0-9a-f]+\\): written to";

void free_interleaved(void* p, void* q) {
  deallocate(p);
  deallocate(q);
  deallocate(p);
}

TEST(FreeList, ASlabThatIsKeptTakesNoBlock) {
  const std::vector<void*> b = allocate_many(2, 100);
  EXPECT_DEATH(free_interleaved(b[0], b[1]), "heapsmith: free\\(0x[0-9a-f]+\\): no block starts");
}

TEST(FreeList, TheLastFreeOfASlabLooks) {
  const std::vector<void*> b = allocate_many(3, 100);
  EXPECT_DEATH(free_interleaved(b[0], b[1]), twice);  // the third free seems to be the last
}

TEST(FreeList, ASlabIsLookedAtBeforeItServes) {
  const std::size_t n = slab_capacity(class_of(512));
  const std::vector<void*> b = allocate_many(n + 1, 512);
  for (std::size_t i = 2; i < n / 4; ++i) deallocate(b[i]);  // a nearly full one serves last
  const auto serve_again = [&] {
    while (t_heap->current[class_of(512)] != slab_behind(b[0])) allocate(512);
  };
  EXPECT_DEATH(
      {
        free_interleaved(b[0], b[1]);
        serve_again();
      },
      twice);
  EXPECT_DEATH(
      {
        deallocate(b[0]);
        deallocate(static_cast<char*>(b[1]) + 16);
        serve_again();
      },
      middle);
  EXPECT_DEATH(
      {
        deallocate(b[0]);
        deallocate(b[1]);
        *static_cast<std::uintptr_t*>(b[1]) = 0x4141414141414141;
        serve_again();
      },
      written);
  EXPECT_DEATH(
      {
        deallocate(b[0]);
        deallocate(b[1]);
        *static_cast<std::uintptr_t*>(b[1]) = 0;
        serve_again();
      },
      written);
}

TEST(FreeList, APurgeLooks) {
  const std::vector<void*> b = allocate_many(10, 100);
  EXPECT_DEATH(
      {
        free_interleaved(b[0], b[1]);
        purge_all();
      },
      twice);
}

TEST(FreeList, TheEndOfAThreadLooks) {
  const auto end_thread = [] {
    std::thread([] {
      const std::vector<void*> b = allocate_many(10, 100);
      free_interleaved(b[0], b[1]);
    }).join();
  };
  EXPECT_DEATH(end_thread(), "freed twice|list_length");  // debug builds audit the heap before
}

TEST(FreeList, BlocksThatTwoThreadsFreedAtOnceAreTooMany) {
  const std::vector<void*> b = allocate_many(10, 100);
  slab* const s = slab_behind(b[0]);
  const auto free_twice_at_once = [&] {
    for (int i = 0; i < 2; ++i) {
      std::thread([&] {
        static_cast<block*>(b[0])->mark = 0;  // as if the other thread had not marked it yet
        deallocate(b[0]);
      }).join();
    }
    while (t_heap->current[s->size_class] == s) allocate(100);
  };
  EXPECT_DEATH(free_twice_at_once(), "heapsmith: earlier free");
}

/// A slab of 20 blocks of which the first `n` are listed in order.
struct listed_slab {
  explicit listed_slab(std::size_t n) {
    s.start = memory;
    s.size_class = class_of(64);
    s.carved.store(20, relaxed);
    for (std::size_t i = 0; i < n; ++i) at(i)->next = i + 1 < n ? at(i + 1) : nullptr;
    s.free = at(0);
  }
  block* at(std::size_t i) { return reinterpret_cast<block*>(memory + i * 64); }

  alignas(64) char memory[64 * 64] = {};
  slab s;
};

TEST(FreeList, AListHasJustAsManyBlocksAsItShould) {
  listed_slab l(9);
  look_at(&l.s, {l.at(0), 9}, 9);
  EXPECT_DEATH(look_at(&l.s, {l.at(0), 8}, 8), twice);
  EXPECT_DEATH(look_at(&l.s, {l.at(0), 10}, 10), written);
  l.s.countdown = 21;
  EXPECT_DEATH(look_at_free_blocks(&l.s), twice) << "more are in use than were cut";
}

TEST(FreeList, ALinkLeadsToABlockThatWasCut) {
  listed_slab l(2);
  l.at(1)->next = l.at(19);
  look_at(&l.s, {l.at(0), 3});
  l.at(1)->next = l.at(20);
  EXPECT_DEATH(look_at(&l.s, {l.at(0), 3}), written);
}

TEST(FreeList, AListEndsAtItsLastBlock) {
  listed_slab l(13);
  link_behind(&l.s, l.at(12), l.at(15));
  EXPECT_EQ(l.at(12)->next, l.at(15));
  EXPECT_DEATH(link_behind(&l.s, l.at(11), l.at(15)), twice);
  l.at(12)->next = reinterpret_cast<block*>(0x4141414141414141);
  EXPECT_DEATH(link_behind(&l.s, l.at(12), l.at(15)), written);
}

}  // namespace
}  // namespace heapsmith
