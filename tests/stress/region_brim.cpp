// Ten threads at the brim of a concurrent region: each takes small blocks until it is refused,
// gives half of them away, and goes on. Blocks are exchanged between threads, and what lies in any
// cache must be found again before another thread is refused.
#include <stdio.h>

#include <atomic>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "heapsmith/concurrent_region.hpp"
#include "region_smoke.hpp"
#include "stress.hpp"

namespace {

using stress::header;

constexpr std::size_t threads = 10;
constexpr std::size_t slot_count = 64;
std::atomic<header*> slots[slot_count];
std::atomic<std::size_t> refusals;

void destroy(heapsmith::concurrent_region& region, header* h) {
  stress::check(h);
  region.deallocate(h, h->bytes);
}

/// Puts a block into a slot; what another thread left there is checked and freed here.
void pass_on(heapsmith::concurrent_region& region, stress::random& r, header* h) {
  header* other = slots[r.below(slot_count)].exchange(h, std::memory_order_acq_rel);
  if (other != nullptr) destroy(region, other);
}

void work(heapsmith::concurrent_region& region, std::uint64_t seed) {
  stress::random r(seed);
  std::vector<header*> mine;
  for (std::size_t rounds = stress::scaled(200); rounds > 0; --rounds) {
    for (;;) {
      const std::size_t most = r.one_in(50) ? 8000 : 1100;
      const std::size_t bytes = sizeof(header) + r.below(most);
      void* p = region.try_allocate(bytes);
      if (p == nullptr) break;
      mine.push_back(stress::fill(p, bytes, r.next()));
      if (r.one_in(8)) {
        pass_on(region, r, mine.back());
        mine.pop_back();
      }
    }
    ++refusals;
    for (std::size_t n = mine.size() / 2; n > 0; --n) {
      std::swap(mine[r.below(mine.size())], mine.back());
      r.one_in(4) ? pass_on(region, r, mine.back()) : destroy(region, mine.back());
      mine.pop_back();
    }
  }
  for (header* h : mine) destroy(region, h);
}

void round(std::uint64_t seed) {
  const stress::mapped_buffer buffer(std::size_t{1} << 20);
  const auto region = std::make_unique<heapsmith::concurrent_region>(buffer.at(), buffer.bytes());
  const std::size_t largest = region->defragment();
  std::vector<std::thread> crowd;
  for (std::size_t t = 0; t < threads; ++t)
    crowd.emplace_back([&, t] { work(*region, seed * threads + t); });
  for (std::thread& t : crowd) t.join();
  if (const int broken = region->check()) stress::fail("invariant %d is broken", broken);
  for (std::atomic<header*>& slot : slots)
    if (header* h = slot.exchange(nullptr, std::memory_order_acq_rel)) destroy(*region, h);
  if (region->stats().in_use_bytes != 0) stress::fail("not all is free");

  // Everything lies in caches or behind them: a request as large as the region must find it.
  void* all = region->try_allocate(largest);
  if (all == nullptr) stress::fail("what lies in caches was not found");
  region->deallocate(all);
}

}  // namespace

int main() {
  return stress::run(round);
}
