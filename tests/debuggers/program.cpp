// A program that writes down what gdb should say of its heap, and then stops at stop_here().
// A line is "block ADDRESS PATTERN", "number NAME VALUE", "class BYTES BLOCKS" or "print NAME
// TEXT", with tabs between the parts.
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "heapsmith/arena.hpp"
#include "heapsmith/containers/list.hpp"
#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/queue.hpp"
#include "heapsmith/containers/set.hpp"
#include "heapsmith/containers/stack.hpp"
#include "heapsmith/heapsmith.h"
#include "heapsmith/inline_pool.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace {

std::FILE* truth;

[[gnu::format(printf, 1, 2)]] void expect(const char* format, ...) {
  va_list values;
  va_start(values, format);
  std::vfprintf(truth, format, values);
  va_end(values);
  std::fputc('\n', truth);
}

void expect_block(const void* p, const char* pattern) {
  expect("block\t%p\t%s", p, pattern);
}

struct point {
  int x, y;
};

/// A second thread, which frees blocks of the first one and waits.
struct helper {
  std::vector<void*> to_free;
  void* own = nullptr;
  std::atomic<int> step{0};

  void run() {
    own = hs_malloc(3000);
    for (void* p : to_free) hs_free(p);
    step = 1;
    step.notify_all();
    step.wait(1);
  }
};

constexpr std::size_t kept = 300, freed_here = 10, freed_there = 70;
constexpr std::size_t size = 112, batch = 64;

void note_small_blocks(helper& h, std::vector<void*>& blocks) {
  for (std::size_t i = 0; i < kept + freed_here; ++i) blocks.push_back(hs_malloc(size));
  for (std::size_t i = 0; i < freed_there; ++i) h.to_free.push_back(hs_malloc(size));
  for (std::size_t i = 0; i < freed_here; ++i) {
    expect_block(blocks.back(), "free: in the slab's list, 112 usable bytes");
    hs_free(blocks.back());
    blocks.pop_back();
  }
  const auto first = reinterpret_cast<std::uintptr_t>(blocks[0]);
  expect_block(blocks[0], "in use, 112 usable bytes\\n *block 0 of 585");
  expect_block(blocks[7],
               "in use, 112 usable bytes\\n.*class 6\\n.*\\n *owner: the heap .* thread 1 ");
  expect_block(reinterpret_cast<void*>(first + 7 * size + 3),
               "lies 3 bytes into the block at .*: in use");
  expect_block(reinterpret_cast<void*>(first + 560 * size), "free: never handed out");
  expect_block(reinterpret_cast<void*>(first + 65'535), "behind the last block of the slab");
}

void note_blocks_of_the_helper(const helper& h) {
  expect_block(h.own, "in use, 3072 usable bytes\\n.*\\n.*\\n *owner: the heap .* of all threads");
  for (std::size_t i = 0; i < freed_there; ++i)
    expect_block(h.to_free[i], i < batch
                                   ? "free: freed by another thread, waits for the slab's owner"
                                   : "free: freed by thread 2 .*, on its way home");
}

void note_other_memory(hs_heap* heap, void* large, void* direct) {
  static int variable;
  char pattern[100];
  std::snprintf(pattern, sizeof pattern, "in use.*of the first-class heap %p\n.*", (void*)heap);
  *std::strchr(pattern, '\n') = '\0';
  void* p = hs_heap_malloc(heap, 500);
  expect_block(
      p,
      "in use, 512 usable bytes\\n.*first-class heap .*\\n.*\\n *owner: the sub-heap .* thread 1");
  expect_block(hs_heap_malloc(heap, 100'000), pattern);
  expect_block(large, "in use, 131072 usable bytes, a large block$");
  expect_block(static_cast<char*>(large) + 70'000, "lies 70000 bytes into the block at .*: in use");
  expect_block(direct, "in use, 52428800 usable bytes, a direct map$");
  expect_block(static_cast<char*>(direct) + (40 << 20),
               "lies 41943040 bytes into the block .* a direct map");
  void* gone = hs_heap_malloc(heap, 200'000);
  hs_free(gone);
  expect_block(gone, "free slice");
  gone = hs_malloc(40 << 20);
  hs_free(gone);
  expect_block(gone, "foreign");
  expect_block(&variable, "is foreign");
  expect_block(&p, "is foreign");
  expect_block(nullptr, "is foreign");
}

void note_statistics() {
  hs_statistics s;
  s.size = sizeof s;
  hs_stats(&s);
  expect("number\tin use and carried\t%zu", s.in_use_bytes);
  expect("number\tslabs\t%zu", s.slab_bytes);
  expect("number\tlarge blocks\t%zu", s.large_bytes);
  expect("number\tdirect maps\t%zu", s.direct_bytes);
  expect("number\tcached spans\t%zu", s.cached_bytes);
  expect("number\tmetadata\t%zu", s.metadata_bytes);
  expect("number\tcommitted\t%zu", s.committed_bytes);
  expect("number\tpurged\t%zu", s.purged_bytes);
  expect("class\t112\t%zu", kept);
  expect("class\t3072\t1");
}

}  // namespace

extern "C" [[gnu::noinline]] void stop_here() {
  asm volatile("" ::: "memory");
}

int main(int, char** arguments) {
  truth = std::fopen(arguments[1], "w");
  std::vector<void*> blocks;
  helper h;
  note_small_blocks(h, blocks);
  std::thread thread([&] { h.run(); });
  h.step.wait(0);
  note_blocks_of_the_helper(h);
  hs_heap* heap = hs_heap_create();
  note_other_memory(heap, hs_realloc(hs_malloc(100), 100'000), hs_malloc(50 << 20));

  heapsmith::pool<point, heapsmith::policy::with_handles> points;
  const auto one = points.emplace_handle(1, 2), two = points.emplace_handle(3, 4);
  points.emplace_handle(5, 6);
  points.erase(two);
  const auto again = points.emplace_handle(7, 8);
  const heapsmith::handle<point> none;
  heapsmith::fixed_pool<int> numbers(100);
  for (int i = 0; i < 90; ++i) numbers.emplace(i);
  for (std::uint32_t i = 2; i < 90; ++i) numbers.erase(i);
  heapsmith::deque_pool<int> ends;
  ends.emplace_back(1);
  ends.emplace_front(0);
  heapsmith::pool<int, heapsmith::policy::stable> pieces;
  for (int i = 0; i < 3000; ++i) pieces.emplace(i);
  for (std::uint32_t i = 1; i < 2999; ++i) pieces.erase(i);
  heapsmith::soa_pool<point> columns;
  columns.emplace(1, 2);
  heapsmith::inline_pool<int, 8> little;
  little.emplace(5);
  heapsmith::list<int> list;
  list.push_front(1);
  list.push_front(2);
  heapsmith::map<int, int> map;
  for (const int i : {5, 2, 9, 1}) map.insert(i, 10 * i);
  heapsmith::set<int> set;
  set.insert(3);
  set.insert(1);
  heapsmith::stack<int> stack;
  stack.push(4);
  heapsmith::queue<int> queue;
  queue.push(6);
  heapsmith::arena<> arena;
  static_cast<void>(arena.allocate(100, 8));
  static_cast<void>(one), static_cast<void>(again), static_cast<void>(none);
  expect(
      "print\tpoints\tpool of 3 rows, room for 16 = {[0] = {x = 1, y = 2}, [1] = {x = 7, y = 8}, "
      "[2] = {x = 5, y = 6}}");
  expect("print\tone\thandle of row 0, generation 0, pool 1");
  expect("print\tagain\thandle of row 1, generation 1, pool 1");
  expect("print\tnone\thandle of no row");
  expect("print\tnumbers\tpool of 2 rows, room for 100 = {[0] = 0, [1] = 1}");
  expect("print\tends\tpool of 2 rows, room for 16 = {[4294967295] = 0, [0] = 1}");
  expect("print\tpieces\tpool of 2 rows, room for 3072 = {[0] = 0, [2999] = 2999}");
  expect("print\tcolumns\tpool of 1 rows in columns, room for 16");
  expect("print\tlittle\tinline_pool of 1 rows, room for 8 = {[0] = 5}");
  expect("print\tlist\tlist, 2 cells in its pool = {[0] = 2, [1] = 1}");
  expect("print\tmap\tmap of 4 = {[1] = 10, [2] = 20, [5] = 50, [9] = 90}");
  expect("print\tset\tset of 2 = {[0] = 1, [1] = 3}");
  expect("print\tstack\tstack of 1 = {[0] = 4}");
  expect("print\tqueue\tqueue of 1 = {[0] = 6}");
  expect("print\tarena\tarena of %zu bytes from upstream, 2 pieces in use, %zu bytes left in the "
         "current one",
         arena.stats().held_bytes, arena.stats().free_bytes);
  note_statistics();
  std::fclose(truth);
  stop_here();

  h.step = 2;
  h.step.notify_all();
  thread.join();
}
