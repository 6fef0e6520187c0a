// What private work touches that other threads touch, too. Only the build with assertions counts.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <memory>
#include <thread>

#include "base/atomic.hpp"
#include "heap/reclaim.hpp"
#include "spans/settings.hpp"
#include "support/replacer.hpp"
#include "threads/shared_heap.hpp"

// Not under an emulator, where so many steps take minutes.
#if defined(HEAPSMITH_COUNTS_TOUCHES) && defined(__x86_64__)

namespace heapsmith {
namespace {

using test::replacer;

struct table {
  std::size_t blocks, least, most;
};

/// One of the threads that work at the same time, each with blocks of its own.
class worker {
 public:
  worker(unsigned number, const table& own) : blocks_(number, own.blocks, own.least, own.most) {}

  void settle(unsigned steps) { blocks_.exchanges(steps); }

  /// How often it touches what others touch, in a few steps. A look at the clock is not counted,
  /// with the lock that it tries: looks come by time, and counting makes a step a hundred times as
  /// long.
  std::uint64_t touches(unsigned steps) {
    const std::uint64_t looked_ms = t_heap->looked_ms, before = line_uses::touches();
    blocks_.exchanges(steps);
    const std::uint64_t touched = line_uses::touches() - before;
    return touched - (touched != 0 && t_heap->looked_ms != looked_ms);
  }

 private:
  replacer blocks_;
};

/// In 1,000 steps, once each thread has what it needs.
constexpr double bound = 1;

/// The least of a few measurements, until one is within the bound: on a busy machine, threads
/// settle one after the other.
double touches(const table& each, unsigned threads) {
  constexpr unsigned until_settled = 400'000, until_next = 20'000, most_measurements = 10;
  constexpr unsigned warm_turns = 20, turns = 100, steps_a_turn = 50;
  spans::settings().purge_delay_ms.store(spans::never_purge);  // a slow machine forgets nothing
  const auto uses = std::make_unique<line_uses>();
  std::atomic<std::uint64_t> all = 0;
  double least = 1e9;
  unsigned measured = 0;
  std::barrier together(threads);  // they take turns on one processor, too
  const auto work = [&](unsigned number) {
    worker w(number, each);
    w.settle(until_settled);
    for (bool goes_on = true; goes_on; w.settle(until_next)) {
      together.arrive_and_wait();
      if (number == 0) the_line_uses = uses.get();
      std::uint64_t touched = 0;
      for (unsigned turn = 0; turn != turns + warm_turns; ++turn) {
        together.arrive_and_wait();
        const std::uint64_t n = w.touches(steps_a_turn);
        if (turn >= warm_turns) touched += n;  // who has which line is known
      }
      all += touched;
      together.arrive_and_wait();
      if (number == 0) {
        the_line_uses = nullptr;
        least = std::min(least, 1000.0 * static_cast<double>(all.exchange(0)) /
                                    (1.0 * threads * turns * steps_a_turn));
        ++measured;
      }
      together.arrive_and_wait();
      goes_on = least > bound && measured != most_measurements;
    }
  };
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t) running.emplace_back(work, t);
  for (std::thread& t : running) t.join();
  return least;
}

constexpr table tables[] = {{5000, 8, 1000},      {2000, 1024, 4096},    {1000, 4096, 8192},
                            {500, 8192, 16'000},  {300, 16'000, 32'000}, {1000, 8, 16'000},
                            {200, 33'000, 65'000}};

TEST(PrivateWork, OfTwoThreadsStaysPrivate) {
  for (const table& each : tables) EXPECT_LE(touches(each, 2), bound) << each.least;
}

TEST(PrivateWork, OfManyThreadsStaysPrivate) {
  for (const table& each : {table{5000, 8, 1000}, table{1000, 4096, 8192}, table{1000, 8, 16'000}})
    EXPECT_LE(touches(each, 64), bound) << each.least;
}

// So the work of other threads costs nothing to a slow path that needs none of their blocks.
TEST(PrivateWork, WordsThatSlowPathsReadLieApartFromThoseThatExchangesWrite) {
  const auto line = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) / 64; };
  const void* const written[] = {&the_exchange, &middle_bytes};
  const void* const read[] = {&the_depot, &threads_with_heaps, &purge_epoch, &spans::the_lock()};
  for (const void* w : written)
    for (const void* r : read) EXPECT_NE(line(w), line(r));
  EXPECT_NE(line(written[0]), line(written[1]));
}

TEST(PrivateWork, BlocksThatPassToAndFroAreCounted) {
  constexpr unsigned passed = 5'000;
  const auto uses = std::make_unique<line_uses>();
  the_line_uses = uses.get();
  std::uint64_t touched = 0;
  for (unsigned i = 0; i != 10; ++i) {
    std::vector<void*> blocks = test::allocate_many(passed / 10, 64);
    std::thread([&] {
      test::free_all(blocks);
      blocks = test::allocate_many(passed / 10, 64);
      touched += line_uses::touches();
    }).join();
    test::free_all(blocks);
  }
  the_line_uses = nullptr;
  EXPECT_GT(touched + line_uses::touches(), passed / 50) << "a batch at a time";
}

TEST(PrivateWork, ATouchIsCounted) {
  const auto uses = std::make_unique<line_uses>();
  atomic<int> shared = 0;
  the_line_uses = uses.get();
  const std::uint64_t before = line_uses::touches();
  shared.store(1, relaxed);
  EXPECT_EQ(line_uses::touches(), before) << "nobody else used it";
  for (int reader = 0; reader != 2; ++reader)
    std::thread([&] {
      EXPECT_EQ(shared.load(relaxed), 1);
      EXPECT_EQ(line_uses::touches(), 1u) << "another thread wrote it";
      shared.load(relaxed);
      EXPECT_EQ(line_uses::touches(), 1u) << "the line is here";
    }).join();
  shared.load(relaxed);
  EXPECT_EQ(line_uses::touches(), before) << "nobody changed it";
  shared.exchange(5, relaxed);
  EXPECT_EQ(line_uses::touches(), before + 1) << "two other threads have the line";
  shared.fetch_add(1, relaxed);
  EXPECT_EQ(line_uses::touches(), before + 1) << "they lost it";
  the_line_uses = nullptr;
}

}  // namespace
}  // namespace heapsmith

#endif
