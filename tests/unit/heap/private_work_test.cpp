// What private work touches that other threads touch, too. Only the build with assertions counts.
#include <atomic>
#include <barrier>
#include <memory>
#include <thread>

#include "base/atomic.hpp"
#include "spans/settings.hpp"
#include "support/replacer.hpp"

#ifdef HEAPSMITH_COUNTS_TOUCHES

namespace heapsmith {
namespace {

using test::replacer;

struct table {
  std::size_t blocks, least, most;
};

/// How often the threads touch what others touch in 1,000 steps, once each has what it needs.
double touches(const table& each, unsigned threads) {
  constexpr unsigned until_settled = 400'000, steps = 5'000;
  spans::settings().purge_delay_ms.store(spans::never_purge);  // a slow machine forgets nothing
  const auto uses = std::make_unique<line_uses>();
  std::atomic<std::uint64_t> all = 0;
  std::barrier together(threads, [&, phase = 0]() mutable noexcept {
    the_line_uses = phase++ == 0 ? uses.get() : nullptr;
  });
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      replacer own(t, each.blocks, each.least, each.most);
      own.exchanges(until_settled);
      together.arrive_and_wait();
      const std::uint64_t before = line_uses::touches();
      own.exchanges(steps);
      all += line_uses::touches() - before;
      together.arrive_and_wait();
    });
  for (std::thread& t : running) t.join();
  return 1000.0 * static_cast<double>(all) / (static_cast<double>(threads) * steps);
}

constexpr table tables[] = {{5000, 8, 1000},      {2000, 1024, 4096},    {1000, 4096, 8192},
                            {500, 8192, 16'000},  {300, 16'000, 32'000}, {1000, 8, 16'000},
                            {200, 33'000, 65'000}};

TEST(PrivateWork, OfTwoThreadsStaysPrivate) {
  for (const table& each : tables) EXPECT_LE(touches(each, 2), 1.0) << each.least;
}

TEST(PrivateWork, OfManyThreadsStaysPrivate) {
  for (const table& each : {table{5000, 8, 1000}, table{1000, 4096, 8192}, table{1000, 8, 16'000}})
    EXPECT_LE(touches(each, 64), 1.0) << each.least;
}

TEST(PrivateWork, ATouchIsCounted) {
  const auto uses = std::make_unique<line_uses>();
  atomic<int> shared = 0;
  the_line_uses = uses.get();
  shared.store(1, relaxed);
  EXPECT_EQ(line_uses::touches(), 0u) << "nobody else used it";
  std::thread([&] {
    EXPECT_EQ(shared.load(relaxed), 1);
    EXPECT_EQ(line_uses::touches(), 1u) << "a load of what another thread wrote";
    shared.load(relaxed);
    EXPECT_EQ(line_uses::touches(), 1u) << "the line is here";
    shared.fetch_add(1, relaxed);
    EXPECT_EQ(line_uses::touches(), 1u) << "nobody used it meanwhile";
  }).join();
  shared.exchange(5, relaxed);
  EXPECT_EQ(line_uses::touches(), 1u) << "another thread has changed it";
  the_line_uses = nullptr;
}

}  // namespace
}  // namespace heapsmith

#endif
