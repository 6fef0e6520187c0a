// Offset regions: the check that walks the nodes and the bins and compares them.
#include "region/offset_engine.hpp"

namespace heapsmith::offsets {

const char* name_of(invariant broken) {
  switch (broken) {
    case invariant::all_hold:
      return "";
    case invariant::ring_is_closed:
      return "ring is closed";
    case invariant::offsets_ascend:
      return "offsets ascend";
    case invariant::free_blocks_have_merged:
      return "free blocks have merged";
    case invariant::stats_are_right:
      return "stats are right";
    case invariant::bins_are_lists:
      return "bins are lists";
    case invariant::free_blocks_are_binned:
      return "free blocks are binned";
    case invariant::nodes_are_accounted:
      return "nodes are accounted";
  }
  return "no such invariant";
}

invariant engine::check() const {
  const invariant broken = check_ring();
  return broken != invariant::all_hold ? broken : check_bins();
}

/// Tests numbers of nodes before it uses them, and walks no further than the table has nodes.
invariant engine::check_ring() const {
  stats seen = {};
  std::uint64_t nodes = 1;
  if (!nodes_.has(nodes_[end].after) || nodes_[nodes_[end].after].offset != 0)
    return invariant::offsets_ascend;
  for (node_number i = nodes_[end].after; i != end; i = nodes_[i].after, ++nodes) {
    const node_number after = nodes_[i].after;
    if (nodes == nodes_.taken()) return invariant::nodes_are_accounted;
    if (!nodes_.has(after) || nodes_[after].before != i) return invariant::ring_is_closed;
    if (nodes_[after].offset <= nodes_[i].offset) return invariant::offsets_ascend;
    if (is_free(i)) {
      if (is_free(after)) return invariant::free_blocks_have_merged;
      ++seen.free_blocks;
    } else {
      ++seen.blocks;
      seen.in_use += units_of(i);
      seen.waste_bytes += nodes_[i].waste;
    }
  }
  if (nodes != nodes_.taken()) return invariant::nodes_are_accounted;
  const bool right = seen.blocks == stats_.blocks && seen.free_blocks == stats_.free_blocks &&
                     seen.in_use == stats_.in_use && seen.in_use <= stats_.peak &&
                     seen.waste_bytes == stats_.waste_bytes;
  return right ? invariant::all_hold : invariant::stats_are_right;
}

invariant engine::check_bins() const {
  std::uint64_t listed = 0;
  for (std::size_t bin = bins_.next(0); bin != bin_lists::none; bin = bins_.next(bin + 1)) {
    node_number before = 0;
    if (bins_.first(bin) == 0) return invariant::bins_are_lists;
    for (node_number i = bins_.first(bin); i != 0; i = nodes_[i].list_after) {
      if (!nodes_.has(i) || nodes_[i].list_before != before) return invariant::bins_are_lists;
      if (++listed > stats_.free_blocks || !is_free(i) || bin_of(units_of(i)) != bin)
        return invariant::free_blocks_are_binned;
      before = i;
    }
  }
  return listed == stats_.free_blocks ? invariant::all_hold : invariant::free_blocks_are_binned;
}

}  // namespace heapsmith::offsets
