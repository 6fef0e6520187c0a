// Shared regions: one segment at several addresses, in processes and threads, and its roots.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "region/shared_pair.hpp"
#include "support/child.hpp"

namespace heapsmith {
namespace {

using test::in_child;
using test::mapping;

class SharedRegion : public test::SharedPair {};

TEST_F(SharedRegion, OneProcessFindsAndFreesTheBlocksOfAnother) {
  auto* const text = static_cast<char*>(region_.allocate(100));
  std::strcpy(text, "written here");
  region_.set_root(3, text);
  auto* const same = static_cast<char*>(other_.root(3));
  EXPECT_STREQ(same, "written here");
  EXPECT_NE(same, text);
  EXPECT_EQ(other_.to_offset(same), region_.to_offset(text));
  EXPECT_EQ(other_.from_offset(region_.to_offset(text)), same);
  EXPECT_EQ(other_.usable_size(same), region_.usable_size(text));
  EXPECT_TRUE(other_.owns(same));
  EXPECT_FALSE(other_.owns(text));
  other_.deallocate(same);
  EXPECT_EQ(region_.allocate(100), text);
}

TEST_F(SharedRegion, ProcessesTakeTurns) {
  region_.set_root(0, region_.allocate(sizeof(int)));
  *static_cast<int*>(region_.root(0)) = 0;
  for (int round = 1; round <= 5; ++round) {
    EXPECT_EQ(in_child([&] {
                const mapping mine(memory_);
                shared_region r;
                if (r.attach(mine.at(), mine.bytes()) != 0) return false;
                ++*static_cast<int*>(r.root(0));
                const void* before = r.root(1);
                if ((round > 1) != (before != nullptr)) return false;
                if (before != nullptr && *static_cast<const int*>(before) != round - 1)
                  return false;
                r.deallocate(r.root(1));
                r.set_root(1, new (r.allocate(sizeof(int))) int(round));
                return r.check() == 0;
              }),
              0);
  }
  EXPECT_EQ(*static_cast<int*>(region_.root(0)), 5);
  EXPECT_EQ(*static_cast<int*>(region_.root(1)), 5);
  EXPECT_EQ(region_.recoveries(), 0u);
}

TEST_F(SharedRegion, ManyProcessesAtOnce) {
  std::vector<pid_t> children;
  for (unsigned k = 0; k < 4; ++k) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    const mapping mine(memory_);
    shared_region r;
    if (r.attach(mine.at(), mine.bytes()) != 0) _exit(1);
    std::vector<char*> live;
    for (unsigned i = 0; i < 5000; ++i) {
      const std::size_t bytes = 16 + i * 37 % 3000;
      auto* const p = static_cast<char*>(r.try_allocate(bytes));
      if (p != nullptr) live.push_back(static_cast<char*>(std::memset(p, static_cast<int>(k), 16)));
      if (live.size() > 40) {
        std::swap(live[i % live.size()], live.back());
        for (int j = 0; j < 16; ++j)
          if (live.back()[j] != static_cast<char>(k)) _exit(2);
        r.deallocate(live.back());
        live.pop_back();
      }
    }
    for (char* p : live) r.deallocate(p);
    _exit(r.check() == 0 ? 0 : 3);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(region_.stats().in_use_bytes, 0u);
}

TEST_F(SharedRegion, ThreadsOfOneProcess) {
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([this] {
      for (std::size_t i = 0; i < 3000; ++i) {
        void* p = region_.allocate(i % 500 + 1);
        std::memset(p, 1, i % 500 + 1);
        p = region_.reallocate(p, 0, i % 700 + 1);
        region_.deallocate(p);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(region_.stats().in_use_bytes, 0u);
}

TEST_F(SharedRegion, OneProcessReplacesARoot) {
  void* const a = region_.allocate(10);
  void* const b = other_.allocate(10);
  EXPECT_EQ(region_.root(5), nullptr);
  EXPECT_TRUE(region_.replace_root(5, nullptr, a));
  EXPECT_FALSE(other_.replace_root(5, nullptr, b));
  EXPECT_EQ(region_.to_offset(a), other_.to_offset(other_.root(5)));
  EXPECT_TRUE(other_.replace_root(5, other_.root(5), b));
  EXPECT_EQ(region_.to_offset(region_.root(5)), other_.to_offset(b));
  region_.reset();
  EXPECT_EQ(other_.root(5), nullptr);
  EXPECT_EQ(other_.stats().in_use_bytes, 0u);
}

TEST_F(SharedRegion, ReallocKeepsContents) {
  volatile std::size_t most = SIZE_MAX;
  auto* p = static_cast<char*>(region_.allocate(1000));
  std::memset(p, 7, 1000);
  static_cast<void>(region_.allocate(10));  // in the way
  p = static_cast<char*>(region_.reallocate(p, 1000, 5000, 4096));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 4096, 0u);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(p[i], 7);
  EXPECT_TRUE(region_.try_expand(p, 5000, 100));
  EXPECT_LT(region_.usable_size(p), 200u);
  const hs_shared_region* const c = region_.native();
  EXPECT_EQ(hs_shared_region_realloc(c, p, most), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(hs_shared_region_realloc(c, p, 0), nullptr);
  EXPECT_NE(hs_shared_region_realloc(c, nullptr, 1), nullptr);
  auto* const zeros = static_cast<char*>(hs_shared_region_calloc(c, 100, 50));
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(zeros[i], 0);
  EXPECT_EQ(hs_shared_region_calloc(c, most / 2, 3), nullptr);
}

TEST_F(SharedRegion, CFunctionsReturnErrors) {
  const hs_shared_region* const c = region_.native();
  const hs_shared_region detached = {};
  hs_region_statistics s = {};
  const auto ignore = [](void*, const hs_region_block*) {};
  errno = 77;
  EXPECT_EQ(hs_shared_region_stats(c, &s), EINVAL) << "no size";
  s.size = sizeof s;
  EXPECT_EQ(hs_shared_region_stats(c, &s), 0);
  EXPECT_EQ(hs_shared_region_stats(&detached, &s), EINVAL);
  EXPECT_EQ(hs_shared_region_for_each_block(c, ignore, nullptr), 0);
  EXPECT_EQ(hs_shared_region_for_each_block(&detached, ignore, nullptr), EINVAL);
  void* const p = hs_shared_region_malloc(c, 100);
  EXPECT_EQ(hs_shared_region_try_expand(c, p, 200), 0);
  EXPECT_EQ(hs_shared_region_try_expand(c, p, test::MiB), ENOMEM);
  EXPECT_EQ(hs_shared_region_try_expand(c, nullptr, 1), ENOMEM);
  EXPECT_EQ(hs_shared_region_replace_root(c, 0, p, p), EAGAIN);
  EXPECT_EQ(hs_shared_region_replace_root(c, 0, nullptr, p), 0);
  EXPECT_EQ(hs_shared_region_reset(c), 0);
  EXPECT_EQ(hs_shared_region_reset(&detached), EINVAL);
  EXPECT_EQ(errno, 77) << "errors are returned, not set";
}

TEST_F(SharedRegion, AlignmentDependsOnTheMapping) {
  const hs_shared_region* const c = region_.native();
  for (std::size_t align = 1; align <= 4096; align *= 2) {
    void* const p = hs_shared_region_aligned_alloc(c, align, 100);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(other_.from_offset(region_.to_offset(p))) % align,
              0u);
  }
  const std::size_t too_much = std::size_t{1} << 62;
  EXPECT_EQ(hs_shared_region_aligned_alloc(c, too_much, 100), nullptr);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(hs_shared_region_aligned_alloc(c, 48, 100), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(SharedRegion, VisitorsCannotCallTheRegion) {
  static_cast<void>(region_.allocate(1000));
  int seen = 0;
  region_.for_each_block([&](const hs_region_block& b) {
    errno = 0;
    if (b.state == HS_REGION_IN_USE) {
      ++seen;
      EXPECT_GE(b.bytes, 1000u);
      EXPECT_EQ(region_.try_allocate(1), nullptr);
      EXPECT_EQ(errno, EDEADLK);
      EXPECT_EQ(hs_shared_region_reset(region_.native()), EDEADLK);
      EXPECT_EQ(region_.try_deallocate(b.pointer), EDEADLK);
      EXPECT_EQ(other_.try_allocate(1), nullptr) << "the same lock, mapped elsewhere";
      EXPECT_EQ(errno, EDEADLK);
    }
  });
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace heapsmith
