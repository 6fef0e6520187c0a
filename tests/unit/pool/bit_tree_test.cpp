// Trees of bits against a plain vector of them, and pools with few rows in many slots.
#include "heapsmith/detail/pool/bit_tree.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace heapsmith {
namespace {

using detail::bit_tree;

static_assert(bit_tree::all_words_of(0) == 0 && bit_tree::all_words_of(1) == 1 &&
              bit_tree::all_words_of(64) == 1 && bit_tree::all_words_of(65) == 3 &&
              bit_tree::all_words_of(4096) == 65 && bit_tree::all_words_of(4097) == 68);

class bits_of {
 public:
  explicit bits_of(std::size_t n) : words_(bit_tree::all_words_of(n)), plain_(n) {}
  bit_tree tree() { return {words_.data(), plain_.size()}; }

  void set(std::size_t i) { tree().set(i), plain_[i] = true; }
  void clear(std::size_t i) { tree().clear(i), plain_[i] = false; }
  std::size_t next(std::size_t i) const {
    while (i < plain_.size() && !plain_[i]) ++i;
    return i < plain_.size() ? i : bit_tree::none;
  }
  std::size_t previous(std::size_t i) const {
    for (++i; i != 0; --i)
      if (plain_[i - 1]) return i - 1;
    return bit_tree::none;
  }
  void expect_alike_at(std::size_t i) {
    ASSERT_EQ(tree().next(i), next(i)) << i << " of " << plain_.size();
    if (i == plain_.size()) return;
    ASSERT_EQ(tree().previous(i), previous(i)) << i;
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<bool> plain_;
};

TEST(BitTree, FindsWhatAWalkFinds) {
  std::mt19937 random(1);
  for (const std::size_t n : {1, 63, 64, 65, 128, 4095, 4096, 4097, 9000, 300'000}) {
    bits_of bits(n);
    bits.expect_alike_at(0);
    for (int round = 0; round < 400; ++round) {
      const std::size_t i = random() % n;
      // Few bits at first, then more, then few again.
      if (round < 150 || random() % 3 == 0)
        bits.set(i);
      else
        bits.clear(i);
      ASSERT_TRUE(bits.tree().is_sound());
      for (const std::size_t at : {std::size_t{0}, i, i + 1, n - 1, std::size_t{random() % n}})
        bits.expect_alike_at(at);
    }
  }
}

TEST(BitTree, SaysWhenTheFirstBitComesAndTheLastGoes) {
  std::vector<std::uint64_t> words(bit_tree::all_words_of(10'000));
  const bit_tree tree{words.data(), 10'000};
  words[70] = 1;
  EXPECT_TRUE(tree.note_first(70));
  words[3] = 1;
  EXPECT_FALSE(tree.note_first(3));
  words[70] = 0;
  EXPECT_FALSE(tree.note_last(70));
  words[3] = 0;
  EXPECT_TRUE(tree.note_last(3));
  EXPECT_EQ(tree.next(0), bit_tree::none);
  words[100] = words[156] = 2;
  EXPECT_FALSE(tree.is_sound());
  tree.note_all();
  EXPECT_TRUE(tree.is_sound());
  EXPECT_EQ(tree.next(0), 100 * 64 + 1u);
}

/// A pool in which few of many slots live, after every kind of step that moves its block.
template <class Pool>
void expect_few_rows_are_found() {
  constexpr std::uint32_t n = 20'000;
  Pool p;
  std::vector<std::uint32_t> at;
  for (std::uint32_t i = 0; i < n; ++i) at.push_back(p.emplace(i));
  for (std::uint32_t i = 0; i < n; ++i)
    if (i % 4999 != 7) p.erase(at[i]);
  ASSERT_EQ(p.check(), 0);
  std::vector<std::uint32_t> found;
  for (auto it = p.begin(); it != p.end(); ++it) found.push_back(it.index_of());
  EXPECT_EQ(found, (std::vector<std::uint32_t>{7, 5006, 10005, 15004}));
  found.clear();
  for (auto it = p.end(); it != p.begin();) found.push_back((--it).index_of());
  EXPECT_EQ(found, (std::vector<std::uint32_t>{15004, 10005, 5006, 7}));

  for (std::uint32_t i = 0; i < n; ++i) p.emplace_front(i);  // the block grows at its front
  for (std::uint32_t i = 0; i < n; ++i) p.pop_front();
  ASSERT_EQ(p.check(), 0);
  EXPECT_EQ(p.begin().index_of(), 7u);
  p.pop_back();
  p.pop_front();
  ASSERT_EQ(p.check(), 0);
  EXPECT_EQ(p.size(), 2u);
  EXPECT_EQ(p.begin().index_of(), 5006u);
  p.erase(5006);
  p.erase(10005);
  EXPECT_EQ(p.begin(), p.end());
  EXPECT_EQ(p.check(), 0);
}

TEST(BitTree, PoolsFindFewRowsInManySlots) {
  expect_few_rows_are_found<pool<std::uint32_t>>();
  expect_few_rows_are_found<pool<std::uint32_t, policy::with_handles>>();
  expect_few_rows_are_found<pool<std::uint32_t, policy::stable>>();
  expect_few_rows_are_found<pool<std::uint32_t, policy::stable, policy::with_handles>>();
  expect_few_rows_are_found<soa_pool<std::tuple<std::uint32_t>>>();
}

}  // namespace
}  // namespace heapsmith
