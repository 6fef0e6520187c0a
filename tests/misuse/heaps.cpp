// One misuse of a first-class heap in one process: heaps CASE SIZE THREAD. THREAD says who misuses
// it, same or other: another one uses it before, too, and so remembers it.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string_view>
#include <thread>

#include "heapsmith/heapsmith.h"

namespace {

struct situation {
  std::size_t bytes;
  bool other_thread;
};

// Functions and pointers that no compiler can follow.
hs_heap* volatile the_heap;
void* volatile the_block;
void (*volatile destroy)(hs_heap*) = hs_heap_destroy;
void (*volatile reset_heap)(hs_heap*) = hs_heap_reset;
void* (*volatile allocate)(hs_heap*, std::size_t) = hs_heap_malloc;
void* (*volatile allocate_zeroed)(hs_heap*, std::size_t, std::size_t) = hs_heap_calloc;
void (*volatile end)(hs_heap*, void*) = hs_heap_free;
void (*volatile end_plainly)(void*) = hs_free;

/// Says which pointer is about to be misused.
template <class T>
T* announce(T* p) {
  char line[32];
  const int length = snprintf(line, sizeof line, "%p\n", static_cast<void*>(p));
  if (write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) != length) abort();
  return p;
}

/// A heap with a block, and another one that keeps its slab.
void set_up(const situation& s) {
  the_heap = hs_heap_create();
  the_block = allocate(the_heap, s.bytes);
  if (the_block == nullptr || allocate(the_heap, s.bytes) == nullptr) abort();
}

/// Runs `first` in this thread between a use of the heap and `second`, both in the thread that the
/// situation names.
void between(const situation& s, const std::function<void()>& first,
             const std::function<void()>& second) {
  set_up(s);
  if (!s.other_thread) return first(), second();
  std::atomic<int> step{0};
  std::thread other([&] {
    end(the_heap, allocate(the_heap, s.bytes));
    step = 1;
    while (step != 2) std::this_thread::yield();
    second();
  });
  while (step != 1) std::this_thread::yield();
  first();
  step = 2;
  other.join();
}

void destroy_it() {
  destroy(the_heap);
}

void use_after_destroy(const situation& s) {
  between(s, destroy_it, [&] { allocate(announce<hs_heap>(the_heap), s.bytes); });
}

void zeroed_after_destroy(const situation& s) {
  between(s, destroy_it, [&] { allocate_zeroed(announce<hs_heap>(the_heap), 1, s.bytes); });
}

void destroyed_twice(const situation& s) {
  between(s, destroy_it, [] { destroy(announce<hs_heap>(the_heap)); });
}

void emptied_after_destroy(const situation& s) {
  between(s, destroy_it, [] { reset_heap(announce<hs_heap>(the_heap)); });
}

void block_after_destroy(const situation& s) {
  between(s, destroy_it, [] { end_plainly(announce<void>(the_block)); });
}

void block_after_reset(const situation& s) {
  between(s, [] { reset_heap(the_heap); }, [] { end(the_heap, announce<void>(the_block)); });
}

/// Twice in the same thread, by the heap's name and by the plain one.
void freed_twice(const situation& s) {
  between(
      s, [] {},
      [] {
        end(the_heap, the_block);
        end_plainly(announce<void>(the_block));
      });
}

/// The thread that allocated the block has freed it, and taken it up again into its lists.
void freed_here_and_there(const situation& s) {
  between(
      s, [] { std::thread([] { end_plainly(the_block); }).join(); },
      [] { end(the_heap, announce<void>(the_block)); });
}

struct misuse {
  std::string_view name;
  void (*run)(const situation&);
};

constexpr misuse all[] = {
    {"use_after_destroy", use_after_destroy},
    {"zeroed_after_destroy", zeroed_after_destroy},
    {"destroyed_twice", destroyed_twice},
    {"emptied_after_destroy", emptied_after_destroy},
    {"block_after_destroy", block_after_destroy},
    {"block_after_reset", block_after_reset},
    {"freed_twice", freed_twice},
    {"freed_here_and_there", freed_here_and_there},
};

constexpr std::size_t bytes_of(std::string_view size) {
  if (size == "small") return 48;
  if (size == "large") return 100 << 10;
  return size == "direct" ? 40 << 20 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const situation s = {bytes_of(argv[2]), std::string_view(argv[3]) == "other"};
  for (const misuse& each : all)
    if (each.name == argv[1] && s.bytes != 0) return each.run(s), puts("went on"), 0;
  return 2;
}
