// The scenarios: every way into the OS, from the first block of a process to the last purge.
#include "scenarios.hpp"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <thread>

#include "heapsmith/heapsmith.h"
#include "threads/slow_section.hpp"

namespace heapsmith::fault {
namespace {

constexpr std::size_t K = 1024, M = 1024 * K;

void nothing(world&) {}

/// Blocks of every kind, and free memory between them.
void furnish(world& w) {
  for (const std::size_t bytes : {10, 500, 20'000, 100'000, 2'000'000}) HS_EXPECT(w.get(bytes));
  HS_EXPECT(w.get(40 * M));
  HS_EXPECT(w.get_aligned(64 * K, 300'000));
}

void get_many(world& w, std::size_t n, std::size_t bytes) {
  for (std::size_t i = 0; i < n; ++i) w.get(bytes);
}

void run_threads(world& w) {
  std::thread threads[3];
  for (std::thread& t : threads)
    t = std::thread([&w] {
      for (std::size_t i = 0; i < 200; ++i) w.get(i * 10);
      w.get(200'000);
      hs_free(hs_malloc(30));
    });
  for (std::thread& t : threads) t.join();
}

/// A thread that is past its end takes its blocks from the shared heap.
void run_thread_past_its_end(world& w) {
  std::thread([&w] {
    t_phase = thread_phase::exited;
    for (std::size_t i = 1; i < 100; ++i) w.get(i * 50);
    w.get(200'000);
  }).join();
}

/// As a signal handler would that interrupts the heap.
void interrupt_the_heap(world& w) {
  if (t_heap == &empty_heap) return;
  const std::size_t before = w.count();
  t_heap->busy = true;
  for (std::size_t i = 0; i < 20; ++i) w.get(i * 100);
  w.get(600'000);
  w.get_zeroed(300);
  w.get_aligned(256, 10);
  t_heap->busy = false;
  while (w.count() > before) w.drop_last();  // such blocks are in nobody's statistics
}

/// Blocks that parts of were given advice for, locked, or made mappings of their own.
void advise_parts(world& w) {
  furnish(w);
  for (const std::size_t bytes : {100'000UL, 6 * M, 33 * M, 40 * M}) {
    HS_EXPECT(w.get(bytes));
    w.advise_last();
  }
}

void resize_each(world& w) {
  while (w.count() != 0) {
    for (const std::size_t bytes : {9 * M, 50 * M, 70 * M, 34 * M, 100UL}) w.resize(bytes);
    w.drop_last();
  }
}

/// A child that works with the blocks of its parent, and gets some of its own.
void fork_and_work(world& w) {
  w.get(45 * M);
  const pid_t child = fork();
  if (child == 0) {
    const std::size_t before = w.refused();
    w.check();
    w.resize(90 * M);
    for (const std::size_t bytes : {10UL, 20'000UL, 300'000UL, 40 * M}) w.get(bytes);
    while (w.count() > 3) w.drop_last();
    _exit(w.refused() == before ? 0 : 77);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) continue;
  HS_EXPECT(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
  if (WEXITSTATUS(status) != 0) w.note_refusal();
}

hs_heap* make_heap() {
  errno = 0;
  hs_heap* heap = hs_heap_create();
  HS_EXPECT(heap != nullptr || errno == ENOMEM);
  return heap;
}

/// A heap whose blocks stay, used and freed by a second thread; and one that ends with its blocks.
void use_first_class_heaps(world& w) {
  if (hs_heap* kept = make_heap()) {
    for (const std::size_t bytes : {10UL, 500UL, 20'000UL, 100'000UL, 40 * M})
      w.get_in(kept, bytes);
    std::thread([&] {
      w.drop_last();
      w.drop_last();
      for (std::size_t i = 1; i < 100; ++i) w.get_in(kept, i * 50);
      w.drop_last();
    }).join();
  }
  if (hs_heap* ended = make_heap()) {
    for (const std::size_t bytes : {10UL, 500UL, 20'000UL, 100'000UL, 40 * M})
      HS_EXPECT(hs_heap_malloc(ended, bytes) != nullptr || errno == ENOMEM);
    hs_heap_destroy(ended);
  }
}

constexpr scenario all[] = {
    {"FirstBlock", nothing, [](world& w) { w.get(100); }},
    {"FirstLargeBlock", nothing, [](world& w) { w.get(300 * K); }},
    {"FirstDirectMap", nothing, [](world& w) { w.get(50 * M); }},
    {"SmallBlocks", furnish, [](world& w) { get_many(w, 4000, 1000); }},
    {"AllClasses", furnish,
     [](world& w) {
       for (std::size_t bytes = 1; bytes < 33'000; bytes += bytes / 8 + 1) get_many(w, 9, bytes);
     }},
    {"LargeBlocks", furnish, [](world& w) { get_many(w, 30, 300 * K); }},
    {"DirectMaps",
     [](world& w) {  // almost as many as the first table holds
       furnish(w);
       get_many(w, 122, 32 * M);
     },
     [](world& w) { get_many(w, 12, 32 * M); }},
    {"Growing", furnish,
     [](world& w) {
       w.get(10);
       for (std::size_t bytes = 100; bytes < 200 * M; bytes = bytes * 3 / 2) w.resize(bytes);
     }},
    {"Shrinking",
     [](world& w) {
       furnish(w);
       HS_EXPECT(w.get(100 * M));
     },
     [](world& w) {
       for (std::size_t bytes = 100 * M; bytes > 10; bytes = bytes * 2 / 5) w.resize(bytes);
     }},
    {"Zeroed",
     [](world& w) {
       furnish(w);
       get_many(w, 40, 100'000);
       w.thin_out(3);
     },
     [](world& w) {
       for (const std::size_t bytes : {100, 5000, 70'000, 500'000, 9'000'000, 40'000'000})
         w.get_zeroed(bytes);
     }},
    {"Aligned", furnish,
     [](world& w) {
       for (std::size_t align = 16; align <= 128 * M; align *= 4) w.get_aligned(align, 5000);
       w.get_aligned(M, 40 * M);
     }},
    {"Threads", furnish, run_threads, false, true},
    {"FirstThreads", nothing, run_threads, false, true},
    {"FirstClassHeaps", furnish, use_first_class_heaps, false, true},
    {"ThreadPastItsEnd", furnish, run_thread_past_its_end, false, true},
    {"InterruptedHeap", furnish, interrupt_the_heap},
    {"FreeingMuch",
     [](world& w) {
       furnish(w);
       get_many(w, 200, 100'000);
     },
     [](world& w) {
       for (int i = 0; i < 200; ++i) w.drop_last();
       w.get_zeroed(3'000'000);
     }},
    {"Purging",
     [](world& w) {
       furnish(w);
       get_many(w, 2000, 3000);
       w.thin_out(2);
     },
     [](world& w) {
       hs_purge();
       w.get_zeroed(200'000);
       hs_thread_purge();
       w.get_zeroed(4'000'000);
       hs_malloc_trim(0);
     }},
    {"Prefaulting", furnish,
     [](world& w) {
       hs_prefault(10 * M);
       w.get(9 * M);
     }},
    {"UnderALimit", furnish,
     [](world& w) {
       hs_set_limit(100 * M);
       get_many(w, 50, 2 * M);
       w.drop_last();
       w.get(M);
       hs_set_limit(0);
     },
     true},
    {"Advised", advise_parts, resize_each},
    {"Forking", furnish, fork_and_work},
    {"Measuring", furnish,
     [](world& w) {
       hs_statistics s;
       s.size = sizeof s;
       HS_EXPECT(hs_stats(&s) == 0);
       HS_EXPECT(s.in_use_bytes > 40 * M);
       get_many(w, 40, 100'000);
     }},
};

}  // namespace

std::span<const scenario> scenarios() {
  return all;
}

}  // namespace heapsmith::fault
