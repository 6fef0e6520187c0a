// Decision 0018: which tree sets and maps are.
//
// usage: balanced_tree                       times of each design over that of the weak AVL tree
//        balanced_tree DESIGN WORK ROUNDS    the same work, for who counts instructions
//        balanced_tree depths                how deep keys lie
#include <absl/container/btree_set.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "heapsmith/detail/containers/balance.hpp"
#include "tree_designs.hpp"

namespace {

using index = std::uint32_t;
using links_type = heapsmith::detail::tree_links<index>;

template <class Nodes>
using weak_avl = heapsmith::detail::balanced<Nodes, index>;

/// A set of numbers in nodes of 16 bytes: all but the balance is the same for all designs.
template <template <class> class Design>
class index_tree {
  static constexpr index nil = links_type::none;

 public:
  links_type& links(index i) { return nodes_[i].links; }
  index& root() { return root_; }

  void insert(int key) {
    index p = nil;
    bool side = false;
    for (index i = root_; i != nil; i = nodes_[i].links.child[side]) {
      if (nodes_[i].key == key) return;
      side = nodes_[i].key < key;
      p = i;
    }
    index x = free_;
    if (x == nil) {
      x = static_cast<index>(nodes_.size());
      nodes_.push_back({});
    } else {
      free_ = nodes_[x].links.child[0];
    }
    nodes_[x] = {key, {}};
    Design<index_tree>(*this).insert(x, p, side);
  }
  index find(int key) const {
    index i = root_;
    while (i != nil && nodes_[i].key != key) i = nodes_[i].links.child[nodes_[i].key < key];
    return i;
  }
  std::size_t count(int key) const { return find(key) != nil; }
  void erase(int key) {
    const index z = find(key);
    if (z == nil) return;
    Design<index_tree>(*this).erase(z);
    nodes_[z].links.child[0] = free_;
    free_ = z;
  }
  double mean_depth() const {
    std::size_t keys = 0, sum = 0;
    add_depths(root_, 1, keys, sum);
    return static_cast<double>(sum) / static_cast<double>(keys);
  }

 private:
  struct node {
    int key;
    links_type links;
  };

  void add_depths(index i, std::size_t depth, std::size_t& keys, std::size_t& sum) const {
    if (i == nil) return;
    ++keys;
    sum += depth;
    for (const index c : nodes_[i].links.child) add_depths(c, depth + 1, keys, sum);
  }

  std::vector<node> nodes_;
  index root_ = nil;
  index free_ = nil;
};

using b_tree = absl::btree_set<int>;

std::uint64_t state = 1;
int random_key() {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return static_cast<int>((state >> 32) * 100'000 >> 32) + 1;
}

void expect(bool holds) {
  if (!holds) abort();
}

/// The keys ±j come, are looked up and go, j from 1 to n; or random ones come and go in a full set.
template <class Set>
class player {
 public:
  explicit player(const char* work) : n_(atoi(work)) {
    if (n_ == 0)
      for (int i = 0; i < 200'000; ++i) set_.insert(random_key()), set_.erase(random_key());
  }

  /// Returns: how many keys came.
  [[gnu::noinline]] std::size_t play() {
    if (n_ == 0) {
      for (int i = 0; i < 20'000; ++i) set_.insert(random_key()), set_.erase(random_key());
      return 20'000;
    }
    const int turns = std::max(1, 20'000 / n_);
    for (int turn = 0; turn < turns; ++turn) {
      for (int j = 1; j <= n_; ++j) set_.insert(j), set_.insert(-j);
      std::size_t found = 0;
      for (int j = 0; j <= n_ + 1; ++j) found += set_.count(j) + set_.count(-j);
      expect(found == static_cast<std::size_t>(2 * n_));
      for (int j = 1; j <= n_; ++j) set_.erase(j), set_.erase(-j);
    }
    return static_cast<std::size_t>(2 * n_ * turns);
  }

  double seconds() {
    const auto start = std::chrono::steady_clock::now();
    play();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  int n_;
  Set set_;
};

constexpr const char* works[] = {"10", "1000", "100000", "churn"};

/// In turns, so that a noisy moment meets all; the median of the ratios within turns.
void compare(const char* work) {
  player<index_tree<weak_avl>> ours(work);
  player<index_tree<designs::red_black>> red_black(work);
  player<index_tree<designs::treap>> treap(work);
  player<b_tree> many(work);
  std::vector<double> ratios[3];
  for (int turn = 0; turn < 41; ++turn) {
    const double base = ours.seconds();
    ratios[0].push_back(red_black.seconds() / base);
    ratios[1].push_back(treap.seconds() / base);
    ratios[2].push_back(many.seconds() / base);
  }
  printf("%-8s", work);
  for (auto& all : ratios) {
    std::sort(all.begin(), all.end());
    printf("  %12.2f", all[all.size() / 2]);
  }
  puts("");
}

template <class Set>
void count(const char* work, std::size_t rounds) {
  player<Set> all(work);
  std::size_t keys = 0;
  for (std::size_t i = 0; i < rounds; ++i) keys += all.play();
  printf("%zu keys\n", keys);
}

template <template <class> class Design>
void tell_depths(const char* name) {
  index_tree<Design> ascending, random, thinned;
  for (int i = 0; i < 1 << 16; ++i) ascending.insert(i), thinned.insert(i);
  for (int i = 0; i < 1 << 16; ++i)
    if (i % 16 != 0) thinned.erase(i);
  for (int i = 0; i < 400'000; ++i) random.insert(random_key()), random.erase(random_key());
  printf("%-10s %10.1f %10.1f %10.1f\n", name, ascending.mean_depth(), random.mean_depth(),
         thinned.mean_depth());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    printf("%-8s  %12s  %12s  %12s\n", "time", "red-black", "treap", "b-tree");
    for (const char* work : works) compare(work);
    return 0;
  }
  if (argc == 2 && strcmp(argv[1], "depths") == 0) {
    printf("%-10s %10s %10s %10s\n", "depth", "ascending", "random", "thinned");
    tell_depths<weak_avl>("weak-avl");
    tell_depths<designs::red_black>("red-black");
    tell_depths<designs::treap>("treap");
    return 0;
  }
  if (argc != 4) return fputs("usage: see the first lines of the source\n", stderr), 2;
  const std::string design = argv[1];
  const std::size_t rounds = strtoul(argv[3], nullptr, 10);
  if (design == "weak-avl") count<index_tree<weak_avl>>(argv[2], rounds);
  if (design == "red-black") count<index_tree<designs::red_black>>(argv[2], rounds);
  if (design == "treap") count<index_tree<designs::treap>>(argv[2], rounds);
  if (design == "b-tree") count<b_tree>(argv[2], rounds);
}
