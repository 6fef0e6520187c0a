// Regions of other designs than ours, to be measured beside it: other indexes of large free blocks,
// other bounds on what is deferred, and rows of other lengths.
#pragma once

#include <boost/intrusive/set.hpp>
#include <cstdint>
#include <cstdlib>

#include <sys/mman.h>

#include "region/audit.hpp"

namespace heapsmith::regions {

using chosen = design<address_frame>;

/// Counts how often a header is looked at: what an index costs, whatever else the machine does.
template <template <class> class Large, std::size_t DeferredMin, std::size_t DeferredMax,
          std::size_t Row = chosen::row_blocks>
class measured_frame : public address_frame {
 public:
  static inline std::uint64_t looks = 0;

 protected:
  [[nodiscard]] link link_to(const void* p) const {
    ++looks;
    return address_frame::link_to(p);
  }
};

template <template <class> class Large, std::size_t Min, std::size_t Max, std::size_t Row>
struct design<measured_frame<Large, Min, Max, Row>> {
  using large = Large<measured_frame<Large, Min, Max, Row>>;
  static constexpr std::size_t deferred_min = Min, deferred_max = Max, row_blocks = Row;
};

/// Two-level bitmap bins with a list each. `BestOf`: the smallest that suffices of the first bin
/// that has one; else the first block of the first bin in which all suffice, as in TLSF, and only
/// when there is none the first that suffices of the bin below.
template <class Frame, bool BestOf>
class bitmap_bins : protected sealed_blocks<Frame> {
 protected:
  using sealed_blocks<Frame>::block_at;
  [[nodiscard]] std::size_t size_of(const block* b) const { return this->info(b).size(); }

  void insert(block* b, std::size_t size) {
    const std::size_t bin = region_bins::bin_of(size);
    b->next = heads_[bin];
    b->previous = 0;
    if (b->next != 0) block_at(b->next)->previous = address(b);
    heads_[bin] = address(b);
    used_.set(bin);
  }
  void remove(block* b, std::size_t size) {
    const std::size_t bin = region_bins::bin_of(size);
    if (b->next != 0) block_at(b->next)->previous = b->previous;
    (b->previous != 0 ? block_at(b->previous)->next : heads_[bin]) = b->next;
    if (heads_[bin] == 0) used_.clear(bin);
  }
  void clear() {
    used_ = {};
    for (word& head : heads_) head = 0;
  }
  [[nodiscard]] block* best(std::size_t size) const {
    const std::size_t own = region_bins::bin_of(size), above = region_bins::bin_above(size);
    if (BestOf || used_.first_at_or_above(above) == used_.none)
      if (block* const b = fitting(own, size); b != nullptr) return b;
    const std::size_t bin = used_.first_at_or_above(above == own ? own : own + 1);
    if (bin == used_.none) return nullptr;
    return BestOf ? fitting(bin, size) : block_at(heads_[bin]);
  }
  [[nodiscard]] block* least() const { return best(region_bins::large_min); }
  [[nodiscard]] std::size_t most_bytes() const {
    const block* const b = most();
    return b == nullptr ? 0 : size_of(b);
  }
  [[nodiscard]] block* most() const {
    const std::size_t bin = used_.last();
    return bin == used_.none ? nullptr : block_at(heads_[bin]);
  }
  template <class Suits>
  block* find(std::size_t size, Suits&& suits) const {
    for (std::size_t bin = region_bins::bin_of(size); bin < region_bins::bin_count; ++bin)
      for (block* b = block_at(heads_[bin]); b != nullptr; b = block_at(b->next))
        if (suits(b)) return b;
    return nullptr;
  }

 private:
  static link address(const block* b) { return reinterpret_cast<std::uintptr_t>(b); }
  [[nodiscard]] block* fitting(std::size_t bin, std::size_t size) const {
    block* best = nullptr;
    std::size_t best_size = region_bins::size_end;
    for (block* b = block_at(heads_[bin]); b != nullptr; b = block_at(b->next))
      if (const std::size_t its = size_of(b); its >= size && its < best_size) {
        best = b;
        best_size = its;
        if (!BestOf || its == size) break;
      }
    return best;
  }

  bin_map<region_bins::bin_count> used_;
  word heads_[region_bins::bin_count] = {};
};

template <class Frame>
using bitmap_good_fit = bitmap_bins<Frame, false>;
template <class Frame>
using bitmap_best_of = bitmap_bins<Frame, true>;

/// A red-black tree by size, Boost's, with its links in the blocks.
template <class Frame>
class red_black_tree : protected sealed_blocks<Frame> {
  struct node : boost::intrusive::set_base_hook<
                    boost::intrusive::link_mode<boost::intrusive::normal_link>> {};

  /// Compares blocks as the index would read them: by their headers.
  struct by_size {
    const red_black_tree* tree = nullptr;
    using type = std::size_t;
    bool operator()(const node& a, const node& b) const { return tree->key(a) < tree->key(b); }
    bool operator()(const node& a, std::size_t b) const { return tree->key(a) < b; }
    bool operator()(std::size_t a, const node& b) const { return a < tree->key(b); }
  };
  using set = boost::intrusive::multiset<node, boost::intrusive::compare<by_size>,
                                         boost::intrusive::constant_time_size<false>>;

 protected:
  [[nodiscard]] std::size_t size_of(const block* b) const { return this->info(b).size(); }
  [[nodiscard]] block* block_at(link l) const { return sealed_blocks<Frame>::block_at(l); }

  void insert(block* b, std::size_t) { set_.insert(*new (b->payload()) node); }
  void remove(block* b, std::size_t) { set_.erase(set_.iterator_to(node_of(b))); }
  void clear() { set_.clear(); }
  [[nodiscard]] block* best(std::size_t size) const {
    const auto at = set_.lower_bound(size, by_size{this});
    return at == set_.end() ? nullptr : block_of_node(*at);
  }
  [[nodiscard]] block* least() const {
    return set_.empty() ? nullptr : block_of_node(*set_.begin());
  }
  [[nodiscard]] std::size_t most_bytes() const {
    const block* const b = most();
    return b == nullptr ? 0 : size_of(b);
  }
  [[nodiscard]] block* most() const {
    return set_.empty() ? nullptr : block_of_node(*set_.rbegin());
  }
  template <class Suits>
  block* find(std::size_t size, Suits&& suits) const {
    for (auto at = set_.lower_bound(size, by_size{this}); at != set_.end(); ++at)
      if (block* const b = block_of_node(*at); suits(b)) return b;
    return nullptr;
  }

 private:
  static node& node_of(block* b) { return *static_cast<node*>(b->payload()); }
  static block* block_of_node(const node& n) { return block_of(const_cast<node*>(&n)); }
  [[nodiscard]] std::size_t key(const node& n) const { return size_of(block_of_node(n)); }

  set set_{by_size{this}};
};

template <template <class> class Large>
using with_index = measured_frame<Large, chosen::deferred_min, chosen::deferred_max>;
template <std::size_t Min, std::size_t Max>
using with_deferred = measured_frame<digital_trees, Min, Max>;
template <std::size_t Row>
using with_row = measured_frame<digital_trees, chosen::deferred_min, chosen::deferred_max, Row>;

/// Memory for a region; pages that no block uses are never touched.
class mapping {
 public:
  explicit mapping(std::size_t bytes) : bytes_(bytes) {
    at_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
               -1, 0);
    if (at_ == MAP_FAILED) abort();
  }
  ~mapping() { munmap(at_, bytes_); }
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;

  [[nodiscard]] void* at() const { return at_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* at_;
  std::size_t bytes_;
};

}  // namespace heapsmith::regions
