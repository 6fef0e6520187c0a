// An owner that dies at any store leaves headers from which its heir rebuilds the region.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include "region/audit.hpp"

namespace heapsmith::regions {
namespace {

/// Calls the test before and after every header that is published.
class recording_frame {
 public:
  using bins = region_bins::fine;
  using watch = unwatched;
  static constexpr call_names calls = address_frame<>::calls;
  static inline std::function<void()> on_store;

 protected:
  [[nodiscard]] link link_to(const void* p) const {
    return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(this);
  }
  [[nodiscard]] std::byte* address_of(link l) const {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(this) + l);
  }
  void publish(word& header, std::uint64_t value) {
    if (on_store) on_store();
    detail::probe::store(header, value);
    if (on_store) on_store();
  }
};

constexpr std::size_t buffer_bytes = 12'000;

struct segment {
  engine<recording_frame> region;
  alignas(16) std::byte buffer[buffer_bytes];
};

struct expected_block {
  std::size_t bytes;
  unsigned char mark;
};

class Rebuild : public testing::Test {
 protected:
  using offset = std::size_t;

  void SetUp() override {
    ASSERT_EQ(here_->region.add_memory(here_->buffer, buffer_bytes), 0);
    recording_frame::on_store = [this] { look(); };
  }
  void TearDown() override { recording_frame::on_store = nullptr; }

  offset offset_of(const void* p) const {
    return static_cast<offset>(static_cast<const std::byte*>(p) - here_->buffer);
  }

  /// Checks what a process finds that attaches now, at another address.
  void look() {
    const auto store = std::exchange(recording_frame::on_store, nullptr);
    std::memcpy(static_cast<void*>(heir_.get()), here_.get(), sizeof(segment));
    ASSERT_TRUE(heir_->region.rebuild());
    ASSERT_STREQ(name_of(heir_->region.check()), "");
    std::map<offset, std::size_t> found;
    heir_->region.for_each_block([&](void* p, block_info i) {
      ASSERT_FALSE(i.has(is_deferred));
      if (i.is_live())
        found[static_cast<offset>(static_cast<std::byte*>(p) - heir_->buffer)] = i.size();
    });
    for (const auto& [at, b] : live_) {
      ASSERT_TRUE(found.contains(at)) << "a block in use is missing";
      ASSERT_GE(usable_bytes(found[at]), b.bytes);
      for (std::size_t i = 0; i < b.bytes; ++i)
        ASSERT_EQ(static_cast<unsigned char>(heir_->buffer[at + i]), b.mark);
    }
    // Only the block of the interrupted call may be in use in addition.
    ASSERT_LE(found.size(), live_.size() + in_doubt_);
    ++looks_;
    recording_frame::on_store = store;
  }

  void keep(void* p, std::size_t bytes) {
    const auto mark = static_cast<unsigned char>(random_());
    std::memset(p, mark, bytes);
    live_[offset_of(p)] = {bytes, mark};
  }

  void step() {
    const unsigned what = random_() % 8;
    const std::size_t bytes = 1 + random_() % (std::size_t{1} << (4 + random_() % 8));
    if (what < 3 || live_.empty()) {
      in_doubt_ = 1;
      void* const p = what == 0 ? here_->region.allocate_aligned(64U << random_() % 4, bytes)
                                : here_->region.allocate(bytes);
      if (p != nullptr) keep(p, bytes);
      return;
    }
    auto at = live_.begin();
    std::advance(at, random_() % live_.size());
    void* p = here_->buffer + at->first;
    const expected_block old = at->second;
    // The block of the interrupted call may have any contents; all others must be intact.
    in_doubt_ = 2;
    live_.erase(at);
    if (what < 6)
      here_->region.deallocate(p);
    else if (what < 7)
      static_cast<void>(here_->region.try_resize(p, bytes)), keep(p, std::min(bytes, old.bytes));
    else if (void* const q = here_->region.reallocate(p, 1, bytes); q != nullptr)
      keep(q, bytes);
    else
      keep(p, old.bytes);
  }

  std::unique_ptr<segment> here_ = std::make_unique<segment>();
  std::unique_ptr<segment> heir_ = std::make_unique<segment>();
  std::map<offset, expected_block> live_;
  std::mt19937 random_{11};
  std::size_t in_doubt_ = 0, looks_ = 0;
};

TEST_F(Rebuild, WorksAtEveryStore) {
  for (int i = 0; i < 3'000 && !HasFatalFailure(); ++i) {
    step();
    ASSERT_STREQ(name_of(here_->region.check()), "") << i;
  }
  EXPECT_GT(looks_, 10'000u);
}

TEST_F(Rebuild, RefusesBrokenHeadersAndChangesNothing) {
  recording_frame::on_store = nullptr;
  void* const a = here_->region.allocate(100);
  void* const b = here_->region.allocate(100);
  ASSERT_NE(b, nullptr);
  static_cast<std::byte*>(b)[-8] ^= std::byte{16};  // another size
  EXPECT_FALSE(here_->region.rebuild());
  EXPECT_EQ(here_->region.check(), invariant::headers_are_sealed);
  static_cast<std::byte*>(b)[-8] ^= std::byte{16};
  EXPECT_TRUE(here_->region.rebuild());
  EXPECT_EQ(here_->region.usable_size("", a), 104u);
}

TEST_F(Rebuild, FreesDeferredBlocks) {
  recording_frame::on_store = nullptr;
  void* const a = here_->region.allocate(100);
  static_cast<void>(here_->region.allocate(100));
  here_->region.deallocate(a);
  EXPECT_NE(here_->region.measure().deferred, 0u);
  EXPECT_TRUE(here_->region.rebuild());
  EXPECT_EQ(here_->region.measure().deferred, 0u);
  EXPECT_EQ(here_->region.measure().in_use, 112u);
}

}  // namespace
}  // namespace heapsmith::regions
