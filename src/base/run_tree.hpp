// Finds runs of set bits in logarithmic time, by a tree of summaries. docs/design/spans.md
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bit_runs.hpp"

namespace heapsmith {

/// A tree over `Sets` sets of bits with the same indices. A node of level 1 summarizes 8 words; a
/// node of a higher level, 8 nodes of the level below. Nodes lie in the order of a walk that visits
/// a node before its children: the tree of the first words is a prefix of the array, whatever the
/// capacity. The owner supplies the array, zeroed; `word_at(set, k)` yields bits 64k … 64k+63.
template <unsigned Sets>
class run_tree {
 public:
  static constexpr std::size_t fanout = 8;  // words or nodes below a node

  struct node {
    run_summary of[Sets];
  };

  /// A tree for at most `words` words, without nodes.
  void start(std::size_t words) {
    levels_ = 1;
    while (words_below(levels_) < words) ++levels_;
    nodes_ = nullptr;
    count_ = 0;
  }

  /// The nodes that the first `words` words need; with the capacity, the length of the array.
  std::size_t nodes_for(std::size_t words) const {
    return words == 0 ? 0 : position(1, (words - 1) / fanout) + 1;
  }

  /// From here on, the first `count` nodes of the array may be read and written.
  void place(node* nodes, std::size_t count) {
    nodes_ = nodes;
    count_ = count;
  }

  /// The number of the node that summarizes word `k`: an update takes in all words of the node.
  static constexpr std::size_t node_of(std::size_t k) { return k / fanout; }

  /// Word `k` has changed. Complexity: 8 words, and 8 nodes for each level whose node changes.
  template <class WordAt>
  void update(std::size_t k, WordAt word_at) {
    std::size_t j = k / fanout;
    node now = sum_of_words(j, word_at);
    for (unsigned level = 1;; j /= fanout) {
      node& known = nodes_[position(level, j)];
      if (std::equal(known.of, known.of + Sets, now.of)) return;
      known = now;
      if (level++ == levels_) return;
      now = sum_of_nodes(level, j / fanout);
    }
  }

  /// The lowest index i >= `from` with bits i … i+length-1 of the set, all below `bits`; no_run if
  /// no such run exists. Complexity: at most 16 words, and 15 nodes for each level.
  template <class WordAt>
  std::size_t find(unsigned set, std::size_t from, std::size_t bits, std::size_t length,
                   WordAt word_at) const {
    run_search s{length};
    std::size_t k = from / 64;
    if (from % group_bits != 0) {
      std::uint64_t above = ~std::uint64_t{0} << (from % 64);
      do {
        if (k * 64 >= bits) return no_run;
        if (const std::size_t at = s.in_word(k, word_at(set, k) & above); at != no_run) return at;
        above = ~std::uint64_t{0};
      } while (++k % fanout != 0);
    }
    unsigned level = 1;
    std::size_t j = k / fanout;
    for (;;) {
      // A node that begins here stands for those below it.
      for (; level < levels_ && j % fanout == 0; ++level) j /= fanout;
      const std::size_t first = j * words_below(level) * 64;
      if (first >= bits) return no_run;
      const run_summary here = summary(set, position(level, j));
      if (s.carry + here.head >= length) return first - s.carry;
      if (here.longest >= length) return descend(s, set, level, j, word_at);
      s.pass(here, words_below(level) * 64);
      ++j;
    }
  }

 private:
  static constexpr std::size_t group_bits = fanout * 64;

  /// Words below a node of a level.
  static std::size_t words_below(unsigned level) { return std::size_t{1} << (3 * level); }
  /// Nodes of a whole tree with that many levels.
  static std::size_t tree_nodes(unsigned levels) { return (words_below(levels) - 1) / 7; }

  /// Where node `j` of a level lies: one step down for each level above it.
  std::size_t position(unsigned level, std::size_t j) const {
    std::size_t at = 0;
    for (unsigned below = level; below < levels_; ++below, j /= fanout)
      at += 1 + j % fanout * tree_nodes(below);
    return at;
  }

  run_summary summary(unsigned set, std::size_t at) const {
    return at < count_ ? nodes_[at].of[set] : run_summary{};
  }

  template <class WordAt>
  static node sum_of_words(std::size_t j, WordAt word_at) {
    node sum;
    for (unsigned set = 0; set < Sets; ++set)
      for (std::uint32_t c = 0; c < fanout; ++c)
        sum.of[set] = joined(sum.of[set], c * 64, summary_of(word_at(set, j * fanout + c)), 64);
    return sum;
  }

  node sum_of_nodes(unsigned level, std::size_t j) const {
    const auto bits = static_cast<std::uint32_t>(words_below(level - 1) * 64);
    const std::size_t first = position(level, j) + 1, step = tree_nodes(level - 1);
    node sum;
    for (unsigned set = 0; set < Sets; ++set)
      for (std::uint32_t c = 0; c < fanout; ++c) {
        if (first + c * step >= count_) {  // nor do those behind it exist yet
          sum.of[set].tail = 0;
          break;
        }
        sum.of[set] = joined(sum.of[set], c * bits, summary(set, first + c * step), bits);
      }
    return sum;
  }

  /// Goes down into a node that has a run long enough, alone or with the bits before it.
  template <class WordAt>
  std::size_t descend(run_search s, unsigned set, unsigned level, std::size_t j,
                      WordAt word_at) const {
    for (; level > 1; --level) {
      const std::size_t bits = words_below(level - 1) * 64;
      j *= fanout;
      for (;; ++j) {  // at most 8 nodes: one of them ends the loop
        const run_summary here = summary(set, position(level - 1, j));
        if (s.carry + here.head >= s.length) return j * bits - s.carry;
        if (here.longest >= s.length) break;
        s.pass(here, bits);
      }
    }
    std::size_t at = no_run;
    for (std::size_t k = j * fanout; at == no_run; ++k) at = s.in_word(k, word_at(set, k));
    return at;
  }

  unsigned levels_ = 0;
  node* nodes_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace heapsmith
