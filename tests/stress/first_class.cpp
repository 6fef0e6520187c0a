// Threads use a few first-class heaps in turn; the heaps end under them, with all their blocks.
//
// A thread that uses a heap holds its gate shared, a thread that destroys it holds it exclusively:
// that is all hs_heap_destroy requires. Blocks lie in slots, are checked, freed and resized by any
// thread, and those that lie there when their heap ends are gone. Threads end meanwhile with blocks
// gathered, and the process's heap is used and purged beside.
#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "heapsmith/heapsmith.h"
#include "stress.hpp"

namespace {

using stress::header;

constexpr std::size_t heap_count = 12;  // more than a thread remembers
constexpr std::size_t slot_count = 64;
constexpr std::size_t workers = 4;
constexpr std::size_t generations = 6;

struct place {
  std::shared_mutex gate;
  hs_heap* heap = nullptr;
  std::atomic<header*> slots[slot_count] = {};
};
place places[heap_count];
std::atomic<bool> over;

header* make_in(hs_heap* heap, stress::random& r, std::size_t bytes) {
  bytes = bytes < sizeof(header) ? sizeof(header) : bytes;
  void* p = r.one_in(8)   ? hs_heap_aligned_alloc(heap, std::size_t{16} << r.below(9), bytes)
            : r.one_in(8) ? hs_heap_calloc(heap, 1, bytes)
                          : hs_heap_malloc(heap, bytes);
  if (p == nullptr) stress::fail("memory was refused without a limit");
  return stress::fill(p, bytes, r.next());
}

void end_in(hs_heap* heap, stress::random& r, header* h) {
  if (h == nullptr) return;
  stress::check(h);
  r.one_in(2) ? hs_heap_free(r.one_in(2) ? heap : nullptr, h) : hs_free(h);
}

void use(place& at, stress::random& r) {
  const std::shared_lock hold(at.gate);
  for (std::size_t n = 1 + r.below(40); n-- > 0;) {
    std::atomic<header*>& slot = at.slots[r.below(slot_count)];
    if (r.one_in(6)) {
      header* h = slot.exchange(nullptr, std::memory_order_acq_rel);
      if (h == nullptr) continue;
      stress::check(h);
      const header was = *h;
      const std::size_t bytes = r.size() + sizeof(header);
      void* p = hs_heap_realloc(at.heap, h, bytes);
      if (p == nullptr) stress::fail("memory was refused without a limit");
      h = stress::check_and_refill(p, was.bytes, was.tag, bytes);
      end_in(at.heap, r, slot.exchange(h, std::memory_order_acq_rel));
    } else {
      header* h = r.one_in(5) ? nullptr : make_in(at.heap, r, r.size());
      end_in(at.heap, r, slot.exchange(h, std::memory_order_acq_rel));
    }
  }
}

void end(place& at, stress::random& r) {
  const std::unique_lock alone(at.gate);
  for (std::atomic<header*>& slot : at.slots)
    if (header* h = slot.exchange(nullptr, std::memory_order_acq_rel)) stress::check(h);
  if (r.one_in(2)) {
    hs_heap_reset(at.heap);
    hs_heap_statistics s = {};
    s.size = sizeof s;
    hs_heap_stats(at.heap, &s);
    if (s.held_bytes != 0) stress::fail("%zu bytes are held after the end", s.held_bytes);
  } else {
    hs_heap_destroy(at.heap);
    at.heap = hs_heap_create();
  }
}

void work(std::uint64_t seed) {
  stress::random r(seed);
  for (std::size_t n = stress::scaled(250); n-- > 0;) {
    place& at = places[r.below(r.one_in(2) ? 2 : heap_count)];
    if (r.one_in(20))
      end(at, r);
    else
      use(at, r);
    if (header* h = stress::make(r, r.size())) stress::destroy(h);
  }
}

/// Threads that use a heap and end, while the threads that waited for that end the heap.
void visit(std::uint64_t seed) {
  stress::random r(seed);
  while (!over.load()) {
    place& at = places[r.below(4)];
    std::thread([&] { use(at, r); }).join();
  }
}

/// Purges and questions, which come at any time.
void disturb(std::uint64_t seed) {
  stress::random r(seed);
  while (!over.load()) {
    place& at = places[r.below(heap_count)];
    if (r.one_in(2)) {
      hs_purge();
    } else {
      const std::shared_lock hold(at.gate);
      hs_heap_statistics s = {};
      s.size = sizeof s;
      hs_heap_stats(at.heap, &s);
      if (s.held_bytes > s.peak_bytes) stress::fail("the peak is below what is held");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(r.below(500)));
  }
}

void round(std::uint64_t seed) {
  over = false;
  for (place& at : places) at.heap = hs_heap_create();
  std::thread disturber(disturb, seed * 1000);
  std::thread visitor(visit, seed * 1000 + 500);
  for (std::size_t g = 0; g < generations; ++g) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers; ++i)
      threads.emplace_back(work, seed * 1000 + g * 10 + i + 1);
    for (std::thread& t : threads) t.join();
  }
  over = true;
  disturber.join();
  visitor.join();
  for (place& at : places) {
    for (std::atomic<header*>& slot : at.slots) slot = nullptr;
    hs_heap_destroy(at.heap);
  }
  stress::require_empty(0);
}

}  // namespace

int main() {
  return stress::run(round);
}
