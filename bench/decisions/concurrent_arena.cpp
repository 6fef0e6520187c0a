// docs/design/arenas.md: ways to let many threads allocate from one arena, timed side by side.
//
// usage: concurrent_arena [ROUNDS]     prints for 1, 2, 4 and 8 threads the processor time of each
// way as a share of that of concurrent_arena: the median of the ratios within interleaved rounds.
#include "heapsmith/concurrent_arena.hpp"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "heapsmith/decorators.hpp"

namespace {

using namespace heapsmith;

constexpr std::size_t bytes = 64, memory_bytes = std::size_t{64} << 20;

/// One position for all threads, moved by fetch_add. It has no further piece, no alignment and no
/// deallocation; an arena that had them would be slower.
class one_fetch_add {
 public:
  void* allocate(std::size_t n, unsigned) {
    return memory_.get() + position_.fetch_add(n, std::memory_order_relaxed);
  }
  void reset() { position_ = 0; }

 private:
  std::unique_ptr<char[]> memory_{new char[memory_bytes]};
  alignas(64) std::atomic<std::size_t> position_ = 0;
};

/// One position for all, moved by compare-and-exchange.
class one_share {
 public:
  one_share() { reset(); }
  void* allocate(std::size_t n, unsigned) { return cursor_.try_allocate(n, 8); }
  void reset() { cursor_.open(memory_.get(), memory_bytes); }

 private:
  std::unique_ptr<char[]> memory_{new char[memory_bytes]};
  detail::shared_cursor cursor_;
};

/// An arena for each thread, for programs that need not share one.
class own_arenas {
 public:
  void* allocate(std::size_t n, unsigned thread) { return arenas_[thread].a.allocate(n, 8); }
  void reset() {
    for (slot& s : arenas_) s.a.reset();
  }

 private:
  struct alignas(64) slot {
    arena<> a;
  };
  slot arenas_[8];
};

template <class Arena>
struct direct {
  void* allocate(std::size_t n, unsigned) { return arena.allocate(n, 8); }
  void reset() { arena.reset(); }
  Arena arena;
};

/// Processor time of this thread in ns: other programs on the machine do not count.
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/// Processor time for each block, all threads together.
template <class Way>
double time_of(Way& way, unsigned threads) {
  constexpr unsigned blocks = 400'000;
  way.reset();
  std::barrier gate(threads);
  std::vector<double> spent(threads);
  std::vector<std::thread> crowd;
  for (unsigned t = 0; t < threads; ++t)
    crowd.emplace_back([&, t] {
      if (detail::thread_number == 0) detail::number_thread();
      gate.arrive_and_wait();
      const double start = now();
      for (unsigned i = 0; i < blocks / threads; ++i)
        *static_cast<unsigned*>(way.allocate(bytes, t)) = i;
      spent[t] = now() - start;
    });
  for (std::thread& t : crowd) t.join();
  return std::accumulate(spent.begin(), spent.end(), 0.0) / blocks;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 21;
  static direct<concurrent_arena<>> shares;
  static one_fetch_add fetch_add;
  static one_share exchange;
  static direct<synchronized<arena<>>> locked;
  static own_arenas own;
  const auto median = [](std::vector<double>& v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  };
  std::printf("%8s %10s %12s %14s %8s %11s\n", "threads", "shares", "one, add", "one, exchange",
              "locked", "own arenas");
  for (const unsigned threads : {1u, 2u, 4u, 8u}) {
    std::vector<double> base, ratios[4];
    for (int round = -2; round < rounds; ++round) {  // the first ones touch the memory
      const double s = time_of(shares, threads);
      const double other[] = {time_of(fetch_add, threads), time_of(exchange, threads),
                              time_of(locked, threads), time_of(own, threads)};
      if (round < 0) continue;
      base.push_back(s);
      for (int i = 0; i < 4; ++i) ratios[i].push_back(other[i] / s);
    }
    std::printf("%8u %7.2f ns %12.2f %14.2f %8.2f %11.2f\n", threads, median(base),
                median(ratios[0]), median(ratios[1]), median(ratios[2]), median(ratios[3]));
  }
}
