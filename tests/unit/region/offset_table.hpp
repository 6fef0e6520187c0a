// Shared by the tests of offset regions: a region of the C API with its table.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "heapsmith/offset_region.h"

namespace heapsmith::test {

/// An offset region over a table of a fixed number of nodes.
class fixed_region {
 public:
  fixed_region(std::uint64_t size, std::uint64_t granularity, std::size_t table_bytes)
      : table_(table_bytes / sizeof(std::uint64_t)) {
    EXPECT_EQ(hs_offset_region_init(get(), size, granularity, table_.data(), table_bytes), 0);
  }

  hs_offset_region* get() { return region_.get(); }

  hs_offset_block allocate(std::uint64_t bytes, std::uint64_t align = 1) {
    return hs_offset_region_allocate(get(), bytes, align);
  }
  void deallocate(hs_offset_block b) { hs_offset_region_deallocate(get(), b); }
  bool try_expand(hs_offset_block b, std::uint64_t bytes) {
    return hs_offset_region_try_expand(get(), b, bytes) == 0;
  }

  hs_offset_region_statistics stats() {
    hs_offset_region_statistics s;
    s.size = sizeof s;
    EXPECT_EQ(hs_offset_region_stats(get(), &s), 0);
    return s;
  }

  void expect_sound() {
    const int broken = hs_offset_region_check(get());
    EXPECT_EQ(broken, 0) << hs_offset_region_invariant(broken);
  }

  /// Offsets and sizes of the free blocks, in order.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> free_blocks() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    const auto note = [](void* context, const hs_offset_region_view* v) {
      if (v->in_use == 0)
        static_cast<decltype(found)*>(context)->emplace_back(v->block.offset, v->bytes);
    };
    hs_offset_region_for_each_block(get(), note, &found);
    return found;
  }

 private:
  std::unique_ptr<hs_offset_region> region_ = std::make_unique<hs_offset_region>();
  std::vector<std::uint64_t> table_;
};

}  // namespace heapsmith::test
