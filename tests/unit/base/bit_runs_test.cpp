// Runs of bits against a model that looks at one bit at a time.
#include "base/bit_runs.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace heapsmith {
namespace {

using bits = std::vector<bool>;

std::size_t model_find(const bits& b, std::size_t from, std::size_t length) {
  for (std::size_t i = from; i + length <= b.size(); ++i) {
    bool all = true;
    for (std::size_t k = i; k < i + length && all; ++k) all = b[k];
    if (all) return i;
  }
  return no_run;
}

std::size_t real_find(const bits& b, std::size_t from, std::size_t length) {
  return find_run(from, b.size(), length, [&](std::size_t k) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 64 && k * 64 + i < b.size(); ++i)
      word |= std::uint64_t{b[k * 64 + i]} << i;
    return word;
  });
}

/// Runs of ones and zeroes whose mean lengths differ, so that short and long runs both occur.
bits random_bits(std::mt19937& random, std::size_t n) {
  bits b;
  const unsigned mean = 1u << random() % 8;
  for (bool one = random() % 2 != 0; b.size() < n; one = !one)
    b.insert(b.end(), std::min<std::size_t>(1 + random() % mean, n - b.size()), one);
  return b;
}

TEST(FindRun, AgreesWithTheModel) {
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    const bits b = random_bits(random, random() % 300);
    const std::size_t length = 1 + random() % 100;
    ASSERT_EQ(real_find(b, 0, length), model_find(b, 0, length)) << "round " << round;
  }
}

TEST(FindRun, BeginsAtFromAlsoInsideAWord) {
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    const bits b = random_bits(random, 1 + random() % 300);
    const std::size_t from = random() % b.size(), length = 1 + random() % 20;
    ASSERT_EQ(real_find(b, from, length), model_find(b, from, length)) << "round " << round;
  }
}

TEST(FindRun, FindsRunsAcrossManyWords) {
  const bits all(1000, true);
  EXPECT_EQ(real_find(all, 0, 1000), 0u);
  EXPECT_EQ(real_find(all, 100, 900), 100u);
  EXPECT_EQ(real_find(all, 0, 1001), no_run);
  EXPECT_EQ(real_find(bits(), 0, 1), no_run);
}

TEST(LongestRun, AgreesWithACountBitByBit) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100'000; ++round) {
    std::uint64_t word = random();
    for (unsigned more = random() % 5; more != 0; --more)
      word |= random() & ~(word >> random() % 64);
    if (round % 4 == 3) word = ~std::uint64_t{0} >> random() % 64 << random() % 64;  // one run
    if (round < 65) word = round == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << round) - 1;
    std::uint32_t run = 0, longest = 0;
    for (unsigned i = 0; i < 64; ++i) {
      run = ((word >> i) & 1) != 0 ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    ASSERT_EQ(longest_run(word), longest) << std::hex << word;
    const auto head = static_cast<std::uint32_t>(std::countr_one(word));
    const auto tail = static_cast<std::uint32_t>(std::countl_one(word));
    ASSERT_EQ(summary_of(word), (run_summary{head, tail, longest})) << std::hex << word;
  }
}

TEST(ForEachWord, TouchesEachBitOfTheRunOnce) {
  for (std::size_t first = 0; first < 130; ++first) {
    for (std::size_t length = 0; length < 200; ++length) {
      std::vector<std::uint64_t> words(8, 0);
      for_each_word(first, length, [&](std::size_t k, std::uint64_t mask) {
        ASSERT_EQ(words.at(k) & mask, 0u);
        words[k] |= mask;
      });
      for (std::size_t i = 0; i < words.size() * 64; ++i)
        ASSERT_EQ((words[i / 64] >> (i % 64)) & 1, i >= first && i < first + length ? 1u : 0u);
    }
  }
}

}  // namespace
}  // namespace heapsmith
