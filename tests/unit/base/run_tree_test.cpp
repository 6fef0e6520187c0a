// The tree of runs against a search that looks at one bit at a time.
#include "base/run_tree.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace heapsmith {
namespace {

/// Two sets of bits with a tree over them, and the search that defines the right answer.
class sets {
  auto word_at() const {
    return [this](unsigned set, std::size_t k) {
      return k < words_[set].size() ? words_[set][k] : std::uint64_t{0};
    };
  }

 public:
  explicit sets(std::size_t capacity_words) : capacity_(capacity_words) {
    tree_.start(capacity_words);
    nodes_.resize(tree_.nodes_for(capacity_words));
  }

  std::size_t bits() const { return words_[0].size() * 64; }

  void grow_to(std::size_t words) {
    ASSERT_LE(words, capacity_);
    for (auto& set : words_) set.resize(words);
    tree_.place(nodes_.data(), tree_.nodes_for(words));
  }

  void fill(unsigned set, std::size_t first, std::size_t length, bool value) {
    for_each_word(first, length, [&](std::size_t k, std::uint64_t mask) {
      if (value)
        words_[set][k] |= mask;
      else
        words_[set][k] &= ~mask;
      tree_.update(k, word_at());
    });
  }

  std::size_t found(unsigned set, std::size_t from, std::size_t length) const {
    return tree_.find(set, from, bits(), length, word_at());
  }

  std::size_t expected(unsigned set, std::size_t from, std::size_t length) const {
    std::size_t run = 0;
    for (std::size_t i = from; i < bits(); ++i) {
      run = ((words_[set][i / 64] >> (i % 64)) & 1) != 0 ? run + 1 : 0;
      if (run == length) return i + 1 - length;
    }
    return no_run;
  }

 private:
  std::size_t capacity_;
  std::vector<std::uint64_t> words_[2];
  std::vector<run_tree<2>::node> nodes_;
  run_tree<2> tree_;
};

TEST(RunTree, AgreesWithASearchBitByBit) {
  std::mt19937 random(2);
  for (const std::size_t capacity : {1, 8, 9, 64, 100, 512, 600}) {
    sets s(capacity);
    s.grow_to(1);
    for (int step = 0; step < 3'000; ++step) {
      if (random() % 100 == 0 && s.bits() / 64 < capacity)
        s.grow_to(std::min<std::size_t>(capacity, s.bits() / 64 + 1 + random() % 64));
      const std::size_t first = random() % s.bits();
      const std::size_t most = std::size_t{1} << random() % 12;
      const unsigned set = random() % 2;
      s.fill(set, first, 1 + random() % std::min(most, s.bits() - first), random() % 3 != 0);
      const std::size_t from = random() % s.bits(), length = 1 + random() % (2 * most);
      ASSERT_EQ(s.found(set, from, length), s.expected(set, from, length))
          << "capacity " << capacity << ", step " << step << ", from " << from << ", length "
          << length;
    }
  }
}

TEST(RunTree, FindsRunsThatCrossEveryBorder) {
  sets s(512);
  s.grow_to(512);
  for (const std::size_t border : {64, 512, 4096, 20'480}) {
    for (const std::size_t before : {1, 63, 64, 500}) {
      if (before > border) continue;
      s.fill(0, border - before, before + 700, true);
      EXPECT_EQ(s.found(0, 0, before + 700), border - before);
      EXPECT_EQ(s.found(0, 0, before + 701), no_run);
      s.fill(0, border - before, before + 700, false);
    }
  }
  s.fill(1, 0, s.bits(), true);
  EXPECT_EQ(s.found(1, 0, s.bits()), 0U);
  EXPECT_EQ(s.found(1, 1, s.bits()), no_run);
}

/// The tree of the first words is a prefix of the array.
TEST(RunTree, NeedsFewNodesForFewWords) {
  run_tree<2> tree;
  tree.start(262'144);
  EXPECT_EQ(tree.nodes_for(0), 0U);
  EXPECT_EQ(tree.nodes_for(8), 6U);
  EXPECT_EQ(tree.nodes_for(64), 13U);
  EXPECT_EQ(tree.nodes_for(262'144), 37'449U);
}

}  // namespace
}  // namespace heapsmith
