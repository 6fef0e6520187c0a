// Decision 0024: how a search goes down an ordered tree.
//
// usage: search_ways     times of each way over those of guessing, for keys in order and in none
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "heapsmith/detail/containers/balance.hpp"
#include "heapsmith/detail/containers/tree_search.hpp"

namespace {

using heapsmith::detail::tree_search;
constexpr int lookups = 20'000;

/// A tree of the even numbers below 2n, as low as can be. Its nodes have `Bytes` bytes, and lie in
/// the order of their keys or in none, as the keys came.
template <std::size_t Bytes>
class fixed_tree {
 public:
  using index = std::uint32_t;
  static constexpr index nil = heapsmith::detail::tree_links<index>::none;

  fixed_tree(std::size_t n, bool is_in_order) : nodes_(n), slots_(n) {
    std::iota(slots_.begin(), slots_.end(), 0);
    if (!is_in_order) std::shuffle(slots_.begin(), slots_.end(), std::mt19937(1));
    root_ = part(0, n);
  }

  index root() const { return root_; }
  int key(index i) const { return nodes_[i].key; }
  const index* children(index i) const { return nodes_[i].child; }
  static std::less<> less() { return {}; }
  [[gnu::always_inline]] void prefetch(index i) const {
    const auto first = reinterpret_cast<std::uintptr_t>(nodes_.data());
    __builtin_prefetch(reinterpret_cast<const void*>(first + i * sizeof(node)));
  }

 private:
  struct node {
    int key;
    index child[2];
    std::byte rest[Bytes - 12];
  };

  index part(std::size_t from, std::size_t to) {
    if (from == to) return nil;
    const std::size_t middle = (from + to) / 2;
    node& n = nodes_[slots_[middle]];
    n.key = static_cast<int>(2 * middle);
    n.child[0] = part(from, middle);
    n.child[1] = part(middle + 1, to);
    return slots_[middle];
  }

  std::vector<node> nodes_;
  std::vector<index> slots_;
  index root_;
};

struct guess {
  template <class Tree>
  [[gnu::noinline]] static auto find(const Tree& tree, int key) {
    return tree_search<Tree>(tree).guess(key);
  }
};

struct guess_ahead {
  template <class Tree>
  [[gnu::noinline]] static auto find(const Tree& tree, int key) {
    typename tree_search<Tree>::place unused;
    return tree_search<Tree>(tree).template guess<true>(key, unused);
  }
};

struct select {
  template <class Tree>
  [[gnu::noinline]] static auto find(const Tree& tree, int key) {
    typename tree_search<Tree>::place unused;
    return tree_search<Tree>(tree).select(key, unused);
  }
};

/// Selects by arithmetic, and asks for no node ahead.
struct arithmetic {
  template <class Tree>
  [[gnu::noinline]] static auto find(const Tree& tree, int key) {
    using index = typename Tree::index;
    index bound = Tree::nil;
    for (index i = tree.root(); i != Tree::nil;) {
      const index left = tree.children(i)[0], right = tree.children(i)[1];
      const auto goes_right = static_cast<index>(-static_cast<index>(tree.key(i) < key));
      bound = i ^ ((i ^ bound) & goes_right);
      i = left ^ ((left ^ right) & goes_right);
    }
    return bound == Tree::nil || key < tree.key(bound) ? Tree::nil : bound;
  }
};

template <class Way, class Tree>
double seconds(const Tree& tree, const std::vector<int>& keys) {
  const auto start = std::chrono::steady_clock::now();
  std::size_t found = 0;
  for (const int key : keys) found += Way::find(tree, key) != Tree::nil;
  const double taken =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto even = std::count_if(keys.begin(), keys.end(), [](int k) { return k % 2 == 0; });
  if (found != static_cast<std::size_t>(even)) abort();
  return taken;
}

/// Every other key that is looked up is there.
std::vector<int> wanted(std::size_t n, bool is_in_order, std::mt19937& random) {
  std::vector<int> keys(lookups);
  const int first = static_cast<int>(random() % (2 * n));
  for (int i = 0; i < lookups; ++i)
    keys[i] =
        static_cast<int>((is_in_order ? static_cast<std::size_t>(first + i) : random()) % (2 * n));
  return keys;
}

/// In turns, so that a noisy moment meets all; the medians of the ratios within turns.
template <std::size_t Bytes>
void compare(std::size_t n, bool is_in_order) {
  const fixed_tree<Bytes> tree(n, is_in_order);
  std::mt19937 random(2);
  std::vector<double> ratios[3];
  for (int turn = 0; turn < 41; ++turn) {
    const std::vector<int> keys = wanted(n, is_in_order, random);
    const double base = seconds<guess>(tree, keys);
    ratios[0].push_back(seconds<guess_ahead>(tree, keys) / base);
    ratios[1].push_back(seconds<arithmetic>(tree, keys) / base);
    ratios[2].push_back(seconds<select>(tree, keys) / base);
  }
  printf("%5zu %8zu  %-8s", Bytes, n, is_in_order ? "in order" : "in none");
  for (auto& all : ratios) {
    std::sort(all.begin(), all.end());
    printf("  %12.2f", all[all.size() / 2]);
  }
  puts("");
}

template <std::size_t Bytes>
void compare_all() {
  for (const bool is_in_order : {false, true})
    for (const std::size_t n : {20, 100, 1000, 10'000, 100'000, 1'000'000})
      if (n * Bytes <= 256u << 20) compare<Bytes>(n, is_in_order);
}

}  // namespace

int main() {
  printf("bytes    nodes  keys        guess ahead    arithmetic        select\n");
  compare_all<16>();
  compare_all<96>();
  compare_all<816>();
}
