// Threads exchange blocks through shared slots while another purges, measures and limits the heap.
//
// The thread that takes a block out of a slot checks its contents and frees or resizes it, so most
// blocks are freed by other threads than their makers; threads die and are replaced while their
// blocks lie in the slots. In the end nothing may be left.
#include <stdio.h>

#include <atomic>
#include <thread>
#include <vector>

#include "heapsmith/heapsmith.h"
#include "stress.hpp"

namespace {

using stress::header;

constexpr std::size_t slot_count = 512;
constexpr std::size_t workers = 4;
constexpr std::size_t generations = 6;
std::atomic<header*> slots[slot_count];
std::atomic<std::size_t> refused;
std::atomic<bool> limited;
std::atomic<bool> over;

/// Puts a block, or nothing, into a slot; whatever lay there is checked and freed.
void put(stress::random& r, header* h) {
  header* old = slots[r.below(slot_count)].exchange(h, std::memory_order_acq_rel);
  if (old != nullptr) destroy(old);
}

void note_refusal() {
  if (!limited.load()) stress::fail("memory was refused without a limit");
  ++refused;
}

void exchange_one(stress::random& r) {
  if (header* h = stress::make(r, r.size()))
    put(r, h);
  else
    note_refusal();
}

void resize_one(stress::random& r) {
  header* h = slots[r.below(slot_count)].exchange(nullptr, std::memory_order_acq_rel);
  if (h == nullptr) return;
  stress::check(h);
  const header was = *h;
  const std::size_t bytes = r.one_in(4) ? was.bytes + r.below(was.bytes) : r.size();
  if (void* p = hs_realloc(h, bytes)) {
    h = stress::check_and_refill(p, was.bytes, was.tag, bytes);
  } else {
    note_refusal();
    stress::check(h);  // intact
  }
  put(r, h);
}

/// Many blocks of one size, so that slabs fill up, retire, empty and go back.
void burst(stress::random& r) {
  header* blocks[200];
  const std::size_t bytes = r.one_in(4) ? (16 << 10) + r.below(16 << 10) : 16 + r.below(300);
  const std::size_t n = bytes > 4096 ? 20 : 200;
  for (std::size_t i = 0; i < n; ++i) blocks[i] = stress::make(r, bytes);
  const bool backwards = r.one_in(2);
  for (std::size_t i = 0; i < n; ++i) {
    header* h = blocks[backwards ? n - 1 - i : i];
    if (h == nullptr)
      note_refusal();
    else if (i % 8 == 7)
      put(r, h);
    else
      destroy(h);
  }
}

void work(std::uint64_t seed) {
  stress::random r(seed);
  for (std::size_t n = stress::scaled(2500); n-- > 0;) {
    const std::size_t what = r.below(100);
    if (what < 80)
      exchange_one(r);
    else if (what < 95)
      resize_one(r);
    else if (what < 98)
      put(r, nullptr);
    else
      burst(r);
  }
}

/// Everything that works on other threads' heaps, over and over.
void disturb(std::uint64_t seed, bool limiting) {
  stress::random r(seed);
  FILE* nowhere = fopen("/dev/null", "w");
  while (!over.load()) {
    hs_statistics s = {};
    s.size = sizeof s;
    switch (r.below(8)) {
      case 0:
        hs_purge();
        break;
      case 1:
        hs_thread_purge();
        break;
      case 2:
        hs_malloc_trim(0);
        break;
      case 3:
        hs_malloc_info(0, nowhere);
        break;
      case 4:
        hs_prefault(1 << 20);
        break;
      case 5:
        if (!limiting) break;
        limited = true;
        hs_set_limit((std::size_t{4} << 20) + r.below(64 << 20));
        break;
      case 6:
        hs_set_limit(0);
        break;
      default:
        hs_stats(&s);
        break;
    }
    if (header* h = stress::make(r, r.size())) put(r, h);
    std::this_thread::sleep_for(std::chrono::microseconds(r.below(2000)));
  }
  hs_set_limit(0);
  fclose(nowhere);
}

void run_generations(std::uint64_t seed, bool limiting) {
  over = false;
  limited = false;
  std::thread disturber(disturb, seed * 1000, limiting);
  for (std::size_t g = 0; g < generations; ++g) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < workers; ++i)
      threads.emplace_back(work, seed * 1000 + g * 10 + i + 1);
    for (std::thread& t : threads) t.join();
  }
  over = true;
  disturber.join();
  for (std::atomic<header*>& slot : slots)
    if (header* h = slot.exchange(nullptr, std::memory_order_acq_rel)) destroy(h);
  stress::require_empty(0);
}

void round(std::uint64_t seed) {
  run_generations(2 * seed, false);
  run_generations(2 * seed + 1, true);
}

}  // namespace

int main() {
  return stress::run(round);
}
