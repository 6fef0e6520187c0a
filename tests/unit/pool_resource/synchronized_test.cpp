// synchronized_pool: blocks return to their share, shares pass from thread to thread, and memory
// returns upstream.
#include <gtest/gtest.h>
#if defined(_WIN32)
#include <pthread.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "heapsmith/pool_resource.hpp"
#include "support/barrier.hpp"
#include "support/strict_upstream.hpp"

namespace heapsmith {
namespace {

using pool = synchronized_pool<strict_upstream>;
static_assert(resource_traits<pool>::is_thread_safe);

template <class F>
void in_a_thread(F f) {
  std::thread(f).join();
}

TEST(SynchronizedPool, ServesOneThread) {
  strict_upstream upstream;
  pool p(upstream);
  std::vector<void*> live;
  for (int i = 0; i < 100'000; ++i) live.push_back(p.allocate(100, 4));
  for (void* b : live) p.deallocate(b, 100, 4);
  EXPECT_LE(p.stats().pieces, 9u);
  p.trim();
  EXPECT_EQ(p.stats().pieces, 0u);
  EXPECT_EQ(upstream.held_blocks(), 1u) << "the thread's share";
  p.release();
  EXPECT_EQ(upstream.held_blocks(), 0u);
  p.deallocate(p.allocate(100, 4), 100, 4);
}

TEST(SynchronizedPool, BlocksFreedByOtherThreadsAreReused) {
  strict_upstream upstream;
  pool p(upstream);
  for (int round = 0; round < 50; ++round) {
    std::vector<void*> live;
    for (int i = 0; i < 2000; ++i) live.push_back(p.allocate(200, 8));
    in_a_thread([&] {
      for (void* b : live) p.deallocate(b, 200, 8);
    });
  }
  EXPECT_LE(p.stats().pieces, 14u) << "2000 blocks need 13, and 50 rounds without reuse 630";
}

TEST(SynchronizedPool, AThreadSendsItsBatchWhenItEnds) {
  strict_upstream upstream;
  pool p(upstream);
  void* block = p.allocate(200, 8);
  in_a_thread([&] {
    p.deallocate(p.allocate(100, 8), 100, 8);
    p.deallocate(block, 200, 8);
  });
  p.trim();
  EXPECT_EQ(p.stats().pieces, 0u);
}

TEST(SynchronizedPool, SuccessiveThreadsUseOneShare) {
  strict_upstream upstream;
  pool p(upstream);
  for (int i = 0; i < 200; ++i) in_a_thread([&] { p.deallocate(p.allocate(64, 8), 64, 8); });
  EXPECT_EQ(upstream.calls, 2u) << "a share and a piece";
}

TEST(SynchronizedPool, PiecesOfEndedThreadsReturnUpstream) {
  strict_upstream upstream;
  pool p(upstream);
  std::vector<void*> live(20'000);
  in_a_thread([&] {
    for (void*& b : live) b = p.allocate(128, 8);
  });
  for (void* b : live) p.deallocate(b, 128, 8);
  p.trim();
  EXPECT_EQ(p.stats().pieces, 0u);
}

TEST(SynchronizedPool, AThreadThatNeedsAPieceTendsOrphans) {
  strict_upstream upstream;
  pool p(upstream);
  std::vector<void*> live(20'000);
  in_a_thread([&] {
    for (void*& b : live) b = p.allocate(128, 8);
  });
  const std::size_t held = p.stats().pieces;
  for (void* b : live) p.deallocate(b, 128, 8);
  static_cast<void>(p.allocate(8, 8));
  EXPECT_LE(p.stats().pieces, 10u);
  EXPECT_GT(held, 70u);
}

TEST(SynchronizedPool, OneThreadCanUseManyPools) {
  strict_upstream upstream;
  std::vector<std::unique_ptr<pool>> pools;
  std::vector<void*> live;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 40; ++i) pools.push_back(std::make_unique<pool>(upstream));
    for (const auto& p : pools) live.push_back(p->allocate(64, 8));
    for (std::size_t i = 0; i < pools.size(); ++i) pools[i]->deallocate(live[i], 64, 8);
    for (const auto& p : pools) EXPECT_EQ(p->stats().pieces, 1u);
    EXPECT_EQ(upstream.held_blocks(), 80u);
    pools.clear();
    live.clear();
    EXPECT_EQ(upstream.held_blocks(), 0u);
  }
}

unsigned levels_below(const detail::pool_share* s) {
  unsigned most = 0;
  for (const detail::pool_share* below : s->of_thread)
    if (below != nullptr) most = std::max(most, 1 + levels_below(below));
  return most;
}

TEST(SynchronizedPool, AThreadFindsItsShareAmongThousandsInAFewSteps) {
  constexpr std::size_t n = 10'000;  // log4(n) is 6.6
  std::vector<detail::pool_share> shares(n);
  detail::orphan_list orphans;
  detail::thread_shares all;
  for (std::size_t i = 0; i < n; ++i) {
    shares[i].pool = i + 1;
    shares[i].orphans = &orphans;
    all.join_locked(&shares[i]);
  }
  EXPECT_LE(levels_below(&shares[0]), 12u);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  for (std::size_t gone = 0; gone < n; ++gone) {
    detail::pool_share& s = shares[order[gone]];
    ASSERT_EQ(all.find_locked(s.pool), &s);
    all.leave_locked(&s);
    ASSERT_EQ(all.find_locked(s.pool), nullptr);
    ASSERT_EQ(s.thread, nullptr);
    if (gone + 1 == n) break;
    const detail::pool_share& other = shares[order[gone + 1 + gone * 7 % (n - gone - 1)]];
    ASSERT_EQ(all.find_locked(other.pool), &other);
    if (gone % 3 == 0) {  // one of those that left comes back, and stays
      detail::pool_share& again = shares[order[gone / 2]];
      if (all.find_locked(again.pool) == nullptr) {
        all.join_locked(&again);
        ASSERT_EQ(all.find_locked(again.pool), &again);
        all.leave_locked(&again);
      }
    }
  }
  EXPECT_EQ(orphans.take_locked(), nullptr);
}

TEST(SynchronizedPool, SharesOfAnEndingThreadBecomeOrphansEachOnce) {
  std::vector<detail::pool_share> shares(1000);
  detail::orphan_list orphans;
  {
    detail::thread_shares all;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      shares[i].pool = i * 3 + 1;
      shares[i].orphans = &orphans;
      all.join_locked(&shares[i]);
    }
  }
  std::set<const detail::pool_share*> seen;
  while (const detail::pool_share* s = orphans.take_locked()) EXPECT_TRUE(seen.insert(s).second);
  EXPECT_EQ(seen.size(), shares.size());
}

TEST(SynchronizedPool, ThreadsAndPoolsMayOutliveEachOther) {
  strict_upstream upstream;
  test::barrier step(2);
  auto first = std::make_unique<pool>(upstream);
  auto second = std::make_unique<pool>(upstream);
  std::thread other([&] {
    static_cast<void>(first->allocate(64, 8));
    static_cast<void>(second->allocate(64, 8));
    step.arrive_and_wait();
    step.arrive_and_wait();  // the first has ended
    static_cast<void>(second->allocate(64, 8));
  });
  step.arrive_and_wait();
  first.reset();
  step.arrive_and_wait();
  other.join();
  second.reset();
  EXPECT_EQ(upstream.held_blocks(), 0u);
}

TEST(SynchronizedPool, ResetKeepsPiecesAndSharesOfLivingThreads) {
  strict_upstream upstream;
  pool p(upstream);
  test::barrier step(2);
  const auto fill = [&] {
    for (int i = 0; i < 1000; ++i) std::memset(p.allocate(100, 8), 1, 100);
  };
  void* const mine = p.allocate(100, 8);
  std::thread other([&] {
    fill();
    p.deallocate(mine, 100, 8);  // on its way to the other share when the pool is reset
    step.arrive_and_wait();
    step.arrive_and_wait();
    fill();
  });
  fill();
  step.arrive_and_wait();
  const std::size_t held = upstream.held_blocks();
  p.reset();
  EXPECT_EQ(p.stats().spare_pieces, p.stats().pieces);
  EXPECT_EQ(upstream.held_blocks(), held);
  step.arrive_and_wait();
  other.join();
  fill();
  EXPECT_EQ(upstream.held_blocks(), held);
}

TEST(SynchronizedPool, ReleaseWithSharesOfLivingThreads) {
  strict_upstream upstream;
  pool p(upstream);
  test::barrier step(2);
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) static_cast<void>(p.allocate(100, 8));
    step.arrive_and_wait();
    step.arrive_and_wait();
    std::memset(p.allocate(100, 8), 1, 100);
  });
  step.arrive_and_wait();
  p.release();
  EXPECT_EQ(upstream.held_blocks(), 0u);
  step.arrive_and_wait();
  other.join();
  EXPECT_EQ(upstream.held_blocks(), 2u);
}

/// Uses the pool when its thread ends. One such object is destroyed before the thread's shares,
/// another one after them.
struct late_user {
  pool* of = nullptr;
  void* kept = nullptr;
  ~late_user() {
    if (of == nullptr) return;
    of->deallocate(kept, 64, 8);
    for (int i = 0; i < 1000; ++i) of->deallocate(of->allocate(64, 8), 64, 8);
  }
};

#if defined(_WIN32)
/// The keys of POSIX, since GCC for Windows frees thread-local objects before it destroys them.
template <int>
late_user& late_user_of_thread() {
  static const pthread_key_t key = [] {
    pthread_key_t made;
    pthread_key_create(&made, [](void* p) { delete static_cast<late_user*>(p); });
    return made;
  }();
  auto* const user = new late_user;
  pthread_setspecific(key, user);
  return *user;
}
#else
template <int>
late_user& late_user_of_thread() {
  thread_local late_user user;
  return user;
}
#endif

TEST(SynchronizedPool, ThreadsCanUseItWhileTheyEnd) {
  strict_upstream upstream;
  pool p(upstream);
  for (int i = 0; i < 20; ++i)
    in_a_thread([&] {
      late_user& after = late_user_of_thread<0>();  // made first
      after.of = &p;
      after.kept = p.allocate(64, 8);
      late_user& before = late_user_of_thread<1>();
      before.of = &p;
      before.kept = p.allocate(64, 8);
    });
  EXPECT_EQ(upstream.calls, 2u) << "a share and a piece";
  p.trim();
  EXPECT_EQ(p.stats().pieces, 0u);
}

TEST(SynchronizedPool, PiecesOfOrphansServeBeforeARequestFails) {
  strict_upstream upstream;
  pool p(upstream);
  in_a_thread([&] {
    for (std::size_t bytes = 8; bytes <= 512; bytes *= 2)
      p.deallocate(p.allocate(bytes, 8), bytes, 8);
  });
  upstream.limit_bytes = upstream.held_bytes();
  void* b = p.try_allocate(4000, 8);
  ASSERT_NE(b, nullptr);
  p.deallocate(b, 4000, 8);
  b = p.try_allocate(100'000, 8);
  ASSERT_NE(b, nullptr);
  p.deallocate(b, 100'000, 8);
  EXPECT_THROW(static_cast<void>(p.allocate(1'000'000, 8)), std::bad_alloc);
}

/// Threads allocate, write, exchange blocks through slots, check them and deallocate.
TEST(SynchronizedPool, BlocksKeepTheirContentsWhileThreadsExchangeThem) {
  struct note {
    std::size_t bytes;
    unsigned char value;
  };
  constexpr int threads = 8, steps = 20'000;
  strict_upstream upstream;
  pool p(upstream);
  std::vector<std::atomic<note*>> slots(400);
  const auto end = [&](note* n) {
    if (n == nullptr) return;
    const auto* at = reinterpret_cast<const unsigned char*>(n + 1);
    for (std::size_t i = 0; i < n->bytes; ++i) ASSERT_EQ(at[i], n->value);
    p.deallocate(n, sizeof(note) + n->bytes, alignof(note));
  };
  for (int generation = 0; generation < 3; ++generation) {
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        std::mt19937 random(static_cast<unsigned>(100 * generation + t));
        for (int i = 0; i < steps; ++i) {
          const std::size_t bytes = random() % 500 == 0 ? 6000 : random() % 300;
          const note mine = {bytes, static_cast<unsigned char>(random())};
          note* n = new (p.allocate(sizeof(note) + bytes, alignof(note))) note(mine);
          std::memset(n + 1, mine.value, bytes);
          end(slots[random() % slots.size()].exchange(n, std::memory_order_acq_rel));
        }
      });
    for (std::thread& t : all) t.join();
  }
  for (auto& s : slots) end(s.load());
  p.trim();
  EXPECT_EQ(p.stats().pieces, 0u);
  EXPECT_EQ(p.stats().large_blocks, 0u);
  EXPECT_LE(upstream.held_blocks(), 2u * threads) << "shares only";
}

}  // namespace
}  // namespace heapsmith
