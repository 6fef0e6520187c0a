// Decision 0008: which slab to allocate from next, and how many slabs that leaves empty.
//
// A population of blocks is replaced at random, then shrinks to a tenth while it is still replaced.
// Counted are the slabs that hold blocks, by how the next slab is chosen when the current is full.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/size_classes.hpp"

namespace {

constexpr std::size_t capacity = heapsmith::slab_capacity(3),
                      peak = 256 * capacity;  // 64-byte blocks

enum class choice { fullest_bin, most_recent, lowest, emptiest };

std::uint64_t seed;
std::size_t below(std::size_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (seed >> 33) % n;
}

class slabs {
 public:
  explicit slabs(choice how) : how_(how) {}

  std::size_t allocate() {
    if (current_ == none || used_[current_] == capacity) current_ = next();
    ++used_[current_];
    return current_;
  }

  void deallocate(std::size_t slab) {
    freed_at_[slab] = ++clock_;
    --used_[slab];
  }

  std::size_t holding() const {
    std::size_t n = 0;
    for (const std::size_t u : used_) n += u != 0;
    return n;
  }

 private:
  static constexpr std::size_t none = SIZE_MAX;

  /// How much a slab with a free block is wanted; empty ones last, new ones only when there is
  /// none.
  std::uint64_t wanted(std::size_t i) const {
    switch (how_) {
      case choice::fullest_bin:
        return (4 * used_[i] - 1) / capacity + 1;
      case choice::most_recent:
        return freed_at_[i] + 1;
      case choice::lowest:
        return used_.size() - i;
      case choice::emptiest:
        return capacity - used_[i];
    }
    return 0;
  }

  std::size_t next() {
    std::size_t best = none, empty = none;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] == 0 && empty == none) empty = i;
      if (used_[i] == 0 || used_[i] == capacity) continue;
      if (best == none || wanted(i) > wanted(best)) best = i;
    }
    if (best != none) return best;
    if (empty != none) return empty;
    used_.push_back(0);
    freed_at_.push_back(0);
    return used_.size() - 1;
  }

  choice how_;
  std::vector<std::size_t> used_;
  std::vector<std::uint64_t> freed_at_;
  std::uint64_t clock_ = 0;
  std::size_t current_ = none;
};

void replace(slabs& s, std::vector<std::size_t>& blocks, std::size_t times) {
  for (; times > 0; --times) {
    std::size_t& b = blocks[below(blocks.size())];
    s.deallocate(b);
    b = s.allocate();
  }
}

void print_row(const char* name, choice how) {
  seed = 42;
  slabs s(how);
  std::vector<std::size_t> blocks;
  while (blocks.size() < peak) blocks.push_back(s.allocate());
  replace(s, blocks, peak);
  const std::size_t at_peak = s.holding();
  while (blocks.size() > peak / 10) {  // two leave, one comes
    for (int i = 0; i < 2; ++i) {
      std::swap(blocks[below(blocks.size())], blocks.back());
      s.deallocate(blocks.back());
      blocks.pop_back();
    }
    blocks.push_back(s.allocate());
  }
  const std::size_t shrunk = s.holding();
  replace(s, blocks, peak);
  printf("%-24s %8zu %12zu %12zu\n", name, at_peak, shrunk, s.holding());
  if (s.holding() * capacity < blocks.size()) abort();
}

}  // namespace

int main() {
  printf("%-24s %8s %12s %12s\n", "next slab", "at peak", "at a tenth", "settled");
  print_row("fullest of four bins", choice::fullest_bin);
  print_row("most recently freed in", choice::most_recent);
  print_row("lowest address", choice::lowest);
  print_row("emptiest", choice::emptiest);
  printf("%-24s %8zu %12zu %12zu\n", "no hole anywhere", peak / capacity, peak / capacity / 10 + 1,
         peak / capacity / 10 + 1);
}
