// The bins of an offset region: free nodes in lists by size, under a bitmap.
#pragma once

#include <cstdint>

#include "base/extremes.hpp"
#include "region/bin_map.hpp"
#include "region/bins.hpp"
#include "region/offset_nodes.hpp"

namespace heapsmith::offsets {

using bins = region_bins::fine;

/// The bin of free blocks of `units`. Blocks larger than any in memory share the last bin.
constexpr std::size_t bin_of(std::uint64_t units) {
  constexpr std::uint64_t largest = (bins::end >> region_bins::granule_shift) - 1;
  const auto size = smaller_of(units, largest) << region_bins::granule_shift;
  return bins::bin_of(static_cast<std::size_t>(size));
}

/// A bin in which every block has at least `units`, or the last bin.
constexpr std::size_t bin_above(std::uint64_t units) {
  const std::size_t bin = bin_of(units);
  const bool exact = bins::bin_floor(bin) >> region_bins::granule_shift >= units;
  return exact || bin + 1 == bins::bin_count ? bin : bin + 1;
}

/// Lists of free nodes, the latest first. The links of the lists are in the nodes.
class bin_lists {
 public:
  static constexpr std::size_t none = bins::bin_count;

  void link(node_table& nodes, node_number i, std::uint64_t units) {
    const std::size_t bin = bin_of(units);
    const node_number next = first(bin);
    nodes[i].list_before = 0;
    nodes[i].list_after = next;
    if (next != 0) nodes[next].list_before = i;
    heads_[bin] = i;
    map_.set(bin);
  }

  void unlink(node_table& nodes, node_number i, std::uint64_t units) {
    const node_number before = nodes[i].list_before, after = nodes[i].list_after;
    if (after != 0) nodes[after].list_before = before;
    if (before != 0) {
      nodes[before].list_after = after;
    } else {
      const std::size_t bin = bin_of(units);
      heads_[bin] = after;
      if (after == 0) map_.clear(bin);
    }
  }

  /// The first node of a bin; 0 if it is empty. (The heads of empty bins are not kept up to date.)
  [[nodiscard]] node_number first(std::size_t bin) const {
    return map_.test(bin) ? heads_[bin] : 0;
  }

  /// The first bin from `bin` on that is not empty, or none.
  [[nodiscard]] std::size_t next(std::size_t bin) const { return map_.first_at_or_above(bin); }

  /// The bin of the largest blocks, or none.
  [[nodiscard]] std::size_t last() const { return map_.last(); }

  void clear() { map_ = {}; }

 private:
  bin_map<bins::bin_count> map_;
  node_number heads_[bins::bin_count];
};

}  // namespace heapsmith::offsets
