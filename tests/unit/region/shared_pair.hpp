// The fixture of the tests of shared regions: one segment, mapped twice.
#pragma once

#include <gtest/gtest.h>

#include "heapsmith/shared_region.hpp"
#include "region/shared_mapping.hpp"

namespace heapsmith::test {

constexpr std::size_t MiB = 1 << 20;

/// Two mappings of a segment, as two processes would have them.
class SharedPair : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(here_.at(), there_.at());
    ASSERT_EQ(region_.create(here_.at(), here_.bytes()), 0);
    ASSERT_EQ(other_.attach(there_.at(), there_.bytes()), 0);
  }
  void TearDown() override {
    if (region_.native()->segment != nullptr) {
      EXPECT_EQ(region_.check(), 0) << hs_region_invariant(region_.check());
    }
  }

  shared_memory memory_{MiB};
  mapping here_{memory_}, there_{memory_};
  shared_region region_, other_;
};

}  // namespace heapsmith::test
