// Wrong frees that the fast path lets pass: each slow path that has the slab at hand tells them.
#include <thread>

#include "heap/purge.hpp"
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

}  // namespace
}  // namespace heapsmith
