// Processes killed at every step of a call on a shared region, whose heirs must find all blocks.
#include "shared_cut.hpp"

namespace heapsmith {
namespace {

using test::image;
using test::mapping;
using test::patient;
using test::picture;
using test::picture_of;
using test::SharedCut;

TEST_F(SharedCut, AllocateFromTheMiddle) {
  void* const a = block(3000);
  block(50);
  region_.deallocate(a);
  fill_usable();
  cut([](shared_region& r, const mapping&) { static_cast<void>(r.allocate(2000)); });
  EXPECT_GT(undone_, 15u);
  EXPECT_LE(done_, lost_at_most_) << "cuts after which a block is lost";
}

TEST_F(SharedCut, AllocateAStrip) {
  for (int i = 0; i < 7; ++i) block(100);
  fill_usable();
  cut([](shared_region& r, const mapping&) { static_cast<void>(r.allocate(100)); });
  EXPECT_GT(undone_, 20u);
  EXPECT_LE(done_, lost_at_most_);
}

TEST_F(SharedCut, AllocateADeferredBlock) {
  void* const a = block(100);
  block(50);
  region_.deallocate(a);
  fill_usable();
  cut([](shared_region& r, const mapping&) { static_cast<void>(r.allocate(100)); });
  EXPECT_GT(undone_, done_);
  EXPECT_LE(done_, lost_at_most_);
}

TEST_F(SharedCut, AllocateAligned) {
  block(50);
  fill_usable();
  cut([](shared_region& r, const mapping&) { static_cast<void>(r.allocate(3000, 4096)); });
  EXPECT_GT(undone_, 15u);
  EXPECT_LE(done_, lost_at_most_);
}

TEST_F(SharedCut, AllocateAfterJoiningDeferredBlocks) {
  std::vector<void*> all;
  while (void* const p = region_.try_allocate(600)) all.push_back(p);
  for (std::size_t i = 0; i < 14; ++i) region_.deallocate(all[i]);
  fill_usable();
  cut([](shared_region& r, const mapping&) { static_cast<void>(r.allocate(8000)); });
  EXPECT_GT(undone_, 100u) << "many blocks are joined";
  EXPECT_LE(done_, lost_at_most_);
}

TEST_F(SharedCut, FreeDeferred) {
  void* const a = block(100);
  block(50);
  fill_usable();
  const std::uint64_t offset = region_.to_offset(a);
  cut([&](shared_region& r, const mapping&) { r.deallocate(r.from_offset(offset)); }, a);
  EXPECT_GT(done_, undone_);
}

TEST_F(SharedCut, FreeBetweenFreeNeighbours) {
  void* const a = block(3000);
  void* const b = block(2000);
  void* const c = block(4000);
  block(50);
  region_.deallocate(a);
  region_.deallocate(c);
  fill_usable();
  const std::uint64_t offset = region_.to_offset(b);
  const action act = [&](shared_region& r, const mapping&) { r.deallocate(r.from_offset(offset)); };
  cut(act, b);
  EXPECT_GT(done_, 10u) << "the block to be freed is free";
  EXPECT_LE(undone_, undone_at_most_);
}

TEST_F(SharedCut, FreeWithALongChainBehind) {
  std::vector<void*> all;
  for (int i = 0; i < 24; ++i) all.push_back(block(500));
  for (std::size_t i = 0; i < 20; ++i) region_.deallocate(all[i]);  // deferred, up to the limit
  fill_usable();
  const std::uint64_t offset = region_.to_offset(all[20]);
  cut([&](shared_region& r, const mapping&) { r.deallocate(r.from_offset(offset)); }, all[20]);
}

TEST_F(SharedCut, GrowAndShrinkInPlace) {
  void* const a = block(2000);
  void* const b = block(3000);
  block(50);
  region_.deallocate(b);
  fill_usable();
  const std::uint64_t offset = region_.to_offset(a);
  for (const std::size_t bytes : {4000, 5000, 1000, 100}) {
    cut([&](shared_region& r,
            const mapping&) { static_cast<void>(r.try_expand(r.from_offset(offset), 0, bytes)); },
        a);
  }
  EXPECT_GT(done_, 0u);
  EXPECT_GT(undone_, 0u);
}

TEST_F(SharedCut, ReallocateElsewhere) {
  void* const a = block(1500);
  block(50);
  fill_usable();
  const std::uint64_t offset = region_.to_offset(a);
  const picture before = picture_of(region_);
  // Between its two halves both blocks exist, and the old one is intact.
  is_allowed_ = [&](const picture& now) {
    return now.live.size() == before.live.size() + 1 && now.live.contains(offset);
  };
  cut([&](shared_region& r, const mapping&) {
    static_cast<void>(r.reallocate(r.from_offset(offset), 0, 3000));
  });
}

TEST_F(SharedCut, Reset) {
  for (int i = 0; i < 5; ++i) region_.set_root(static_cast<unsigned>(i), block(1000));
  fill_usable();
  cut([](shared_region& r, const mapping&) { r.reset(); });
  EXPECT_GT(done_, 15u);
  EXPECT_LE(undone_, undone_at_most_);
}

TEST_F(SharedCut, KilledBySignal) {
  void* const a = block(3000);
  block(50);
  region_.deallocate(a);
  fill_usable();
  const action act = [](shared_region& r, const mapping&) { r.deallocate(r.allocate(2000)); };
  unlocked_ = copy();
  unsigned instructions = 0;
  {
    patient whole(memory_, true, act);
    while (whole.step()) ++instructions;
  }
  const picture after = picture_of(region_);
  restore(unlocked_);
  const picture before = picture_of(region_);
  is_allowed_ = [&](const picture& now) { return now.live.size() == before.live.size() + 1; };
  for (unsigned n = 1; n <= 12; ++n) {
    restore(unlocked_);
    patient victim(memory_, true, act);
    for (unsigned i = 0; i < instructions * n / 13; ++i) victim.step();
    victim.kill();
    expect_whole(before, after, 0);
    if (HasFatalFailure()) FAIL() << "killed after instruction " << instructions * n / 13;
  }
}

TEST_F(SharedCut, TheHeirDiesToo) {
  void* const a = block(3000);
  void* const b = block(2000);
  void* const c = block(4000);
  block(50);
  void* const d = block(200);
  block(50);
  region_.deallocate(a);
  region_.deallocate(c);
  region_.deallocate(d);
  fill_usable();
  unlocked_ = copy();
  const std::uint64_t offset = region_.to_offset(b);
  const std::vector<image> images = images_of(
      [&](shared_region& r, const mapping&) { r.deallocate(r.from_offset(offset)); }, true);
  for (std::size_t i = 3; i < images.size(); i += images.size() / 2) {
    die_with(images[i]);  // no process has noticed yet
    cut([](shared_region& r,
           const mapping& mine) { static_cast<void>(r.attach(mine.at(), mine.bytes())); },
        b, false);
    if (HasFatalFailure()) FAIL() << "after change " << i << " of " << images.size();
  }
  EXPECT_GT(undone_, 50u);
  EXPECT_EQ(done_, 0u) << "it makes no difference how many heirs died";
}

}  // namespace
}  // namespace heapsmith
