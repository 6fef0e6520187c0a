// Threads die with live blocks; their heirs check and free them, and die in turn.
//
// Four lanes of generations run side by side, so that heaps are adopted while others are abandoned.
// The number of heaps must stay that of the threads alive at once.
#include <thread>
#include <vector>

#include "heapsmith/heapsmith.h"
#include "stress.hpp"

namespace {

using stress::header;

constexpr std::size_t lanes = 4;
constexpr std::size_t estate_blocks = 300;

using estate = std::vector<header*>;

/// One generation: frees some of what it inherits, its own and others' blocks mixed, and leaves
/// more.
void live(estate& left, std::uint64_t seed) {
  stress::random r(seed);
  for (header*& h : left) {
    if (h != nullptr && !r.one_in(4)) {
      destroy(h);
      h = nullptr;
    }
    if (h == nullptr)
      h = stress::make(r, r.one_in(8) ? (16 << 10) + r.below(16 << 10) : 16 + r.below(200));
    if (h == nullptr) stress::fail("memory was refused");
    if (header* of_the_moment = stress::make(r, 16 + r.below(1000))) destroy(of_the_moment);
  }
}

void lane(std::uint64_t seed) {
  estate left(estate_blocks);
  for (std::size_t n = stress::scaled(150); n-- > 0;)
    std::thread([&] { live(left, seed * 1000003 + n); }).join();
  for (header* h : left) destroy(h);
}

void round(std::uint64_t seed) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < lanes; ++i) threads.emplace_back([=] { lane(seed * 10 + i); });
  for (std::thread& t : threads) t.join();
  stress::require_empty(0);
  hs_statistics s = {};
  s.size = sizeof s;
  hs_stats(&s);
  // Each lane's thread and its heir, the main thread, and the heap of threads past their end; a
  // dying thread is joined before its heap is an orphan, so one more a lane may be on its way.
  if (s.heaps > 3 * lanes + 2)
    stress::fail("%zu heaps for %zu threads at once", s.heaps, 2 * lanes + 1);
}

}  // namespace

int main() {
  return stress::run(round);
}
