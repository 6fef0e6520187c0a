// Offset regions compared with a model: a map of the live blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "heapsmith/offset_region.hpp"

namespace heapsmith {
namespace {

using region = offset_region<>;

/// The expected blocks by offset; free blocks are the gaps.
class model {
 public:
  explicit model(std::uint64_t size) : size_(size) {}

  void add(const offset_block& b, std::uint64_t bytes, std::uint64_t requested) {
    const auto next = live_.lower_bound(b.offset);
    if (next != live_.end()) {
      ASSERT_LE(b.offset + bytes, next->first) << "overlaps the next block";
    }
    if (next != live_.begin()) {
      const auto& [offset, before] = *std::prev(next);
      ASSERT_LE(offset + before.bytes, b.offset) << "overlaps the block before";
    }
    ASSERT_LE(b.offset + bytes, size_);
    live_.emplace_hint(next, b.offset, block{b, bytes, requested});
  }

  void remove(std::uint64_t offset) { live_.erase(offset); }

  struct block {
    offset_block handle;
    std::uint64_t bytes;
    std::uint64_t requested;
  };

  [[nodiscard]] block any(std::mt19937_64& random) const {
    auto at = live_.lower_bound(random() % size_);
    return at == live_.end() ? live_.begin()->second : at->second;
  }

  /// The gap behind a block, and whether any gap holds an aligned request.
  [[nodiscard]] std::uint64_t room_behind(const block& b) const {
    const auto next = live_.upper_bound(b.handle.offset);
    return (next == live_.end() ? size_ : next->first) - b.handle.offset - b.bytes;
  }

  template <class Visit>
  void for_each_gap(Visit visit) const {
    std::uint64_t from = 0;
    for (const auto& [offset, b] : live_) {
      if (offset != from) visit(from, offset - from);
      from = offset + b.bytes;
    }
    if (from != size_) visit(from, size_ - from);
  }

  [[nodiscard]] std::uint64_t smallest_gap(std::uint64_t bytes, std::uint64_t align) const {
    std::uint64_t best = UINT64_MAX;
    for_each_gap([&](std::uint64_t offset, std::uint64_t gap) {
      const std::uint64_t start = (offset + align - 1) & ~(align - 1);
      if (start + bytes <= offset + gap) best = std::min(best, gap);
    });
    return best;
  }

  [[nodiscard]] std::size_t count() const { return live_.size(); }

  /// Checks that the region has the blocks of the model, in the same order.
  void compare(const region& r) const {
    auto at = live_.begin();
    std::uint64_t from = 0;
    bool after_free = false;
    r.for_each_block([&](const offset_region_view& v) {
      ASSERT_EQ(v.block.offset, from);
      from += v.bytes;
      if (v.in_use == 0) {
        ASSERT_FALSE(after_free) << "free neighbours that have not merged";
        after_free = true;
        return;
      }
      after_free = false;
      ASSERT_NE(at, live_.end());
      ASSERT_EQ(offset_block(v.block), at->second.handle);
      ASSERT_EQ(v.bytes, at->second.bytes);
      ++at;
    });
    ASSERT_EQ(at, live_.end());
    ASSERT_EQ(from, size_);
  }

  void compare_stats(const region& r) const {
    const offset_region_stats s = r.stats();
    std::uint64_t in_use = 0, requested = 0, largest = 0, gaps = 0;
    for (const auto& [offset, b] : live_) in_use += b.bytes, requested += b.requested;
    for_each_gap(
        [&](std::uint64_t, std::uint64_t gap) { largest = std::max(largest, gap), ++gaps; });
    ASSERT_EQ(s.blocks, live_.size());
    ASSERT_EQ(s.free_blocks, gaps);
    ASSERT_EQ(s.in_use_bytes, in_use);
    ASSERT_EQ(s.available_bytes, size_ - in_use);
    ASSERT_EQ(s.largest_free_bytes, largest);
    ASSERT_EQ(s.waste_bytes, in_use - requested);
    ASSERT_GE(s.peak_bytes, in_use);
    ASSERT_EQ(s.nodes_in_use, live_.size() + gaps + 1);
  }

 private:
  std::uint64_t size_;
  std::map<std::uint64_t, block> live_;
};

struct parameters {
  std::uint64_t size, granularity, bytes_max;
};

class OffsetModel : public testing::TestWithParam<parameters> {
 protected:
  void allocate_one() {
    const std::uint64_t requested = size(), align = std::uint64_t{1} << random_() % 14;
    const std::uint64_t effective = std::max(align, granularity_);
    const std::uint64_t bytes = rounded(requested), best = model_.smallest_gap(bytes, effective);
    const offset_block b = region_.allocate(requested, align);
    ASSERT_EQ(static_cast<bool>(b), best != UINT64_MAX) << requested << " at " << align;
    if (!b) return;
    ASSERT_EQ(b.offset % effective, 0u);
    ASSERT_EQ(region_.size_of(b), bytes);
    if (effective == granularity_ && best / granularity_ < 1024) {
      // The block was taken from the smallest gap, whose size follows from what is left of it.
      std::uint64_t gap = 0;
      model_.for_each_gap([&](std::uint64_t offset, std::uint64_t g) {
        if (offset <= b.offset && b.offset < offset + g) gap = g;
      });
      ASSERT_EQ(gap, best) << "not the best fit";
    }
    model_.add(b, bytes, requested);
  }

  void deallocate_one() {
    if (model_.count() == 0) return;
    const offset_block b = model_.any(random_).handle;
    ASSERT_TRUE(region_.owns(b));
    region_.deallocate(b);
    ASSERT_FALSE(region_.owns(b));
    model_.remove(b.offset);
  }

  void expand_one() {
    if (model_.count() == 0) return;
    const model::block b = model_.any(random_);
    const std::uint64_t requested = size(), bytes = rounded(requested);
    const bool fits = bytes <= b.bytes + model_.room_behind(b);
    ASSERT_EQ(region_.try_expand(b.handle, requested), fits);
    if (!fits) return;
    model_.remove(b.handle.offset);
    model_.add(b.handle, bytes, requested);
  }

  std::uint64_t size() {
    const std::uint64_t most = GetParam().bytes_max;
    return random_() % 4 == 0 ? random_() % (most + 1) : random_() % (most / 50 + 2);
  }
  [[nodiscard]] std::uint64_t rounded(std::uint64_t requested) const {
    return std::max((requested + granularity_ - 1) / granularity_, std::uint64_t{1}) * granularity_;
  }

  const std::uint64_t granularity_ = GetParam().granularity;
  std::mt19937_64 random_{GetParam().bytes_max};
  region region_{GetParam().size, granularity_};
  model model_{region_.size()};
};

TEST_P(OffsetModel, RandomSteps) {
  model_.compare(region_);
  for (int step = 0; step < 100'000; ++step) {
    // Waves: the region fills up and empties again, many times.
    const bool fills = step / 4000 % 2 == 0;
    const auto choice = random_() % 100;
    if (choice < 15)
      expand_one();
    else if (choice < (fills ? 65u : 45u))
      allocate_one();
    else
      deallocate_one();
    if (step % 512 == 511) {
      ASSERT_EQ(region_.check(), 0);
      model_.compare(region_);
      model_.compare_stats(region_);
    }
    if (HasFatalFailure()) FAIL() << "at step " << step;
  }
  while (model_.count() != 0) deallocate_one();
  ASSERT_EQ(region_.check(), 0);
  ASSERT_EQ(region_.stats().largest_free_bytes, region_.size());
}

INSTANTIATE_TEST_SUITE_P(
    , OffsetModel,
    testing::Values(parameters{50'000, 1, 3000},        // often full
                    parameters{1 << 20, 16, 50'000},    // bins of one size
                    parameters{1 << 28, 256, 1 << 24},  // and of many
                    parameters{std::uint64_t{1} << 44, 65'536, std::uint64_t{1} << 38},
                    parameters{std::uint64_t{1} << 62, 1, std::uint64_t{1} << 57}));

}  // namespace
}  // namespace heapsmith
