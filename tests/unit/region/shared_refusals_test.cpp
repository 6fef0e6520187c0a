// Shared regions: memory that is refused as a segment, and misuses that end a process or a region.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "region/shared_pair.hpp"
#include "support/child.hpp"

namespace heapsmith {
namespace {

using test::in_child;
using test::MiB;

class SharedRefusals : public test::SharedPair {};

TEST_F(SharedRefusals, MemoryWithoutASegmentIsRefused) {
  shared_region r;
  std::vector<std::byte> garbage(64 * 1024, std::byte{0x5a});
  auto* const at = reinterpret_cast<std::byte*>(
      (reinterpret_cast<std::uintptr_t>(garbage.data()) + 63) & ~std::uintptr_t{63});
  EXPECT_EQ(r.attach(at, 60 * 1024), ENODATA);
  EXPECT_EQ(r.attach(at, 10), ENODATA);
  EXPECT_EQ(r.attach(at + 8, 1000), EINVAL);
  EXPECT_EQ(r.attach(nullptr, 1000), EINVAL);
  EXPECT_EQ(r.create(nullptr, MiB), EINVAL);
  EXPECT_EQ(r.create(at + 8, 32 * 1024), EINVAL);
  EXPECT_EQ(r.create(at, HS_SHARED_REGION_CONTROL_BYTES / 2), EINVAL);
  EXPECT_EQ(r.create(here_.at(), here_.bytes()), EEXIST);
  EXPECT_EQ(r.try_allocate(1), nullptr) << "a handle to nothing";
  EXPECT_EQ(r.create(at, HS_SHARED_REGION_CONTROL_BYTES + 64), 0)
      << "a region can be made in uninitialised memory";
  EXPECT_EQ(other_.attach(at, 60 * 1024), 0);
}

TEST_F(SharedRefusals, OtherVersionsAndTruncatedOrOverwrittenSegmentsAreRefused) {
  shared_region r;
  EXPECT_EQ(r.attach(there_.at(), MiB - 1), ERANGE);
  EXPECT_EQ(r.attach(there_.at(), 64), ERANGE);
  // A change of any byte of the version or the sizes, which follow the magic, must be detected.
  for (std::size_t i = 8; i < 32; ++i) {
    *here_.byte(i) ^= std::byte{1};
    const int error = r.attach(there_.at(), MiB);
    EXPECT_EQ(error, i < 16 ? EPROTO : EBADMSG) << i;
    EXPECT_STRNE(r.describe(error), "");
    *here_.byte(i) ^= std::byte{1};
  }
  EXPECT_EQ(r.attach(there_.at(), MiB), 0);
  region_.destroy();
  EXPECT_EQ(r.attach(there_.at(), MiB), ENODATA);
  EXPECT_EQ(r.create(there_.at(), MiB), 0);
}

TEST_F(SharedRefusals, ALockHeldAcrossARestartIsInitialised) {
  auto* const p = static_cast<char*>(region_.allocate(100));
  std::strcpy(p, "from before");
  region_.set_root(0, p);
  region_.deallocate(region_.allocate(5000));
  // The lock is held by slot 0, and a thread of the former system holds all slots.
  const std::uint32_t held = 1, dead_thread = 0x3ffffffe;
  std::memcpy(here_.byte(64), &held, sizeof held);
  for (std::size_t slot = 0; slot < 16; ++slot)
    std::memcpy(here_.byte(80 + slot * sizeof(pthread_mutex_t)), &dead_thread, sizeof dead_thread);
  shared_region r;
  ASSERT_EQ(r.attach_alone(there_.at(), MiB), 0);
  EXPECT_STREQ(static_cast<char*>(r.root(0)), "from before");
  EXPECT_EQ(r.recoveries(), 1u);
  r.deallocate(r.root(0));
  EXPECT_EQ(r.stats().in_use_bytes, 0u);
}

TEST_F(SharedRefusals, ErrorsHaveDescriptions) {
  std::vector<std::string> seen;
  for (const int error :
       {EINVAL, EEXIST, ENODATA, EPROTO, EBADMSG, ERANGE, ENOTRECOVERABLE, ENOMEM, EDEADLK, EIO}) {
    const std::string text = shared_region::describe(error);
    EXPECT_GT(text.size(), 10u);
    for (const std::string& other : seen) EXPECT_NE(text, other);
    seen.push_back(text);
  }
  EXPECT_STREQ(shared_region::describe(0), "");
}

TEST_F(SharedRefusals, AMisuseAbortsOnlyOneProcess) {
  void* const p = region_.allocate(2000);
  region_.deallocate(p);
  EXPECT_DEATH(region_.deallocate(p), "heapsmith: shared_region_free\\(");
  int local = 0;
  EXPECT_DEATH(region_.deallocate(&local), "is not a block of this region");
  EXPECT_DEATH(shared_region().deallocate(&local), "shared_region_free");
  // Both died holding the lock, so there are two recoveries.
  EXPECT_NE(other_.try_allocate(100), nullptr);
  EXPECT_EQ(other_.recoveries(), 2u);
}

TEST_F(SharedRefusals, OverwrittenHeadersMakeTheRegionNotRecoverable) {
  auto* const a = static_cast<char*>(region_.allocate(2000));
  void* const b = region_.allocate(2000);
  EXPECT_EQ(in_child([&] {
              volatile std::size_t too_much = 2100;
              std::memset(a, 0xff, too_much);  // beyond the end of a, over the header of b
              region_.deallocate(b);           // aborts the process while it holds the lock
              return true;
            }),
            -1);
  errno = 0;
  EXPECT_EQ(other_.try_allocate(1), nullptr);
  EXPECT_EQ(errno, ENOTRECOVERABLE);
  shared_region r;
  EXPECT_EQ(r.attach(there_.at(), MiB), ENOTRECOVERABLE);
  void* const same = other_.from_offset(region_.to_offset(a));
  EXPECT_EQ(other_.try_deallocate(same), ENOTRECOVERABLE);
  EXPECT_EQ(hs_shared_region_realloc(other_.native(), same, 0), nullptr);
  EXPECT_EQ(errno, ENOTRECOVERABLE);
  other_.deallocate(same);  // does nothing, and does not abort
  EXPECT_EQ(other_.check(), -1);
  region_.destroy();
}

}  // namespace
}  // namespace heapsmith
