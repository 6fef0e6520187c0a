// Checkpoints: within a piece, across pieces, and in random steps compared with a model.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "arena/watched_upstream.hpp"
#include "heapsmith/inline_arena.hpp"

namespace heapsmith {
namespace {

using watched = arena<watched_upstream>;

TEST(Rewind, TheSameBlocksAreAllocatedAgain) {
  arena a;
  static_cast<void>(a.allocate(10, 1));
  const arena_checkpoint here = a.checkpoint();
  void* const first = a.allocate(100, 1);
  a.rewind(here);
  EXPECT_EQ(a.allocate(100, 1), first);
  a.rewind(here);
  a.rewind(here);
  EXPECT_EQ(a.allocate(1, 1), first);
}

TEST(Rewind, RewindsAcrossPieces) {
  watched_upstream up;
  watched a(up);
  const arena_checkpoint empty = a.checkpoint();
  static_cast<void>(a.allocate(100, 1));
  const arena_checkpoint here = a.checkpoint();
  const arena_stats before = a.stats();
  for (int i = 0; i < 1000; ++i) static_cast<void>(a.allocate(1000, 1));
  EXPECT_GT(up.blocks(), 5u);
  a.rewind(here);
  EXPECT_EQ(up.blocks(), 2u) << "the piece in use and a spare one";
  EXPECT_EQ(a.stats().used_bytes, before.used_bytes);
  EXPECT_EQ(a.stats().free_bytes, before.free_bytes);
  EXPECT_EQ(a.stats().pieces, 1u);
  EXPECT_EQ(a.stats().spare_bytes + 4096, up.held());
  a.rewind(empty);
  EXPECT_EQ(a.stats().pieces, 0u);
  EXPECT_EQ(a.stats().used_bytes, 0u);
}

TEST(Rewind, ALoopAroundTheEndOfAPieceDoesNotCallUpstream) {
  watched_upstream up;
  watched a(up);
  static_cast<void>(a.allocate(4000, 1));
  for (int i = 0; i < 100; ++i) {
    if (i == 3) up.calls = 0;
    const arena_checkpoint here = a.checkpoint();
    for (int j = 0; j < 50; ++j) static_cast<void>(a.allocate(1000, 1));
    a.rewind(here);
  }
  EXPECT_EQ(up.calls, 0);
}

struct shadow_block {
  char* pointer;
  std::size_t bytes;
  char value;
};

/// Allocates, expands, frees, takes checkpoints and rewinds at random. Blocks must not overlap and
/// must keep their contents, and the arena's statistics must be right.
template <class Arena>
void play(Arena& a, unsigned seed) {
  struct mark {
    arena_checkpoint position;
    std::size_t blocks;
    std::size_t used;
  };
  std::mt19937 random(seed);
  std::vector<shadow_block> live;
  std::vector<mark> marks;
  const auto check = [&](const shadow_block& b) {
    for (std::size_t i = 0; i < b.bytes; ++i) ASSERT_EQ(b.pointer[i], b.value) << "seed " << seed;
  };
  for (unsigned step = 0; step < 3000; ++step) {
    const unsigned dice = random() % 100;
    if (dice < 70) {
      const std::size_t bytes = random() % 40 == 0 ? random() % 20'000 : random() % 200;
      const std::size_t align = std::size_t{1} << random() % (random() % 10 == 0 ? 13 : 5);
      auto* p = static_cast<char*>(a.try_allocate(bytes, align));
      if (p == nullptr) continue;
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(p) % align, 0u);
      live.push_back({p, bytes, static_cast<char>(step)});
      std::memset(p, live.back().value, bytes);
    } else if (dice < 80 && live.size() > (marks.empty() ? 0 : marks.back().blocks)) {
      shadow_block& b = live.back();
      const std::size_t bytes = random() % 300;
      if (a.try_expand(b.pointer, b.bytes, bytes)) {
        if (bytes > b.bytes) std::memset(b.pointer + b.bytes, b.value, bytes - b.bytes);
        b.bytes = bytes;
      }
    } else if (dice < 88 && live.size() > (marks.empty() ? 0 : marks.back().blocks)) {
      check(live.back());
      a.deallocate(live.back().pointer, live.back().bytes);
      live.pop_back();
    } else if (dice < 94) {
      marks.push_back({a.checkpoint(), live.size(), a.stats().used_bytes});
    } else if (dice < 99 && !marks.empty()) {
      marks.erase(marks.begin() + 1 + static_cast<long>(random() % marks.size()),
                  marks.end());  // several at once, too
      for (const shadow_block& b : live) check(b);
      a.rewind(marks.back().position);
      live.resize(marks.back().blocks);
      ASSERT_EQ(a.stats().used_bytes, marks.back().used);
      marks.pop_back();
    } else if (step % 17 == 0) {
      marks.clear();
      live.clear();
      if (random() % 2 == 0)
        a.reset();
      else
        a.release();
      ASSERT_EQ(a.stats().used_bytes, 0u);
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const shadow_block& b : live) check(b);
}

TEST(RewindModel, OverAnUpstream) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    watched_upstream up;
    watched a(up);
    play(a, seed);
    EXPECT_EQ(a.stats().held_bytes, up.held());
  }
}

TEST(RewindModel, OverAnUpstreamThatSometimesRefuses) {
  for (unsigned seed = 100; seed < 150; ++seed) {
    watched_upstream up;
    up.capacity = 100'000;
    watched a(up);
    play(a, seed);
  }
}

TEST(RewindModel, OverABufferAndAnUpstream) {
  for (unsigned seed = 200; seed < 250; ++seed) {
    watched_upstream up;
    inline_arena<5000, watched_upstream> a(up);
    play(a, seed);
  }
}

TEST(RewindModel, OverABufferAlone) {
  for (unsigned seed = 300; seed < 350; ++seed) {
    inline_arena<20'000, null_resource> a;
    play(a, seed);
  }
}

}  // namespace
}  // namespace heapsmith
