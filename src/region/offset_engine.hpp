// The engine of offset regions: blocks of numbers from 0 on, whose metadata lies elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "region/offset_bins.hpp"
#include "region/offset_nodes.hpp"

namespace heapsmith::offsets {

/// Whether a request was served; if not, what was missing.
enum class outcome : std::uint8_t { done, no_space, no_node };

/// What allocate() returns: the node of the new block, or 0 and the reason.
struct allocation {
  node_number number;
  outcome result;
};

/// What always holds between calls. engine::check() returns the first that does not.
enum class invariant : std::uint8_t {
  all_hold,
  ring_is_closed,           // every node is the one before the one after it
  offsets_ascend,           // from 0 to the size of the region, and no block is empty
  free_blocks_have_merged,  // no two neighbours are free
  counts_are_right,         // blocks, units and waste are those of the nodes
  bins_are_lists,           // doubly linked, and marked in the map when not empty
  free_blocks_are_binned,   // each in the bin of its size, once
  nodes_are_accounted,      // every node taken from the table is in the ring
};

/// The name of an invariant, for messages.
const char* name_of(invariant broken);

/// Counts that are kept up to date by every call.
struct counters {
  std::uint64_t blocks = 0;
  std::uint64_t free_blocks = 0;
  std::uint64_t in_use = 0;       // units of live blocks
  std::uint64_t peak = 0;         // highest in_use
  std::uint64_t waste_bytes = 0;  // sum of all live nodes' waste
  std::uint64_t failed = 0;
};

/**
 * Node 0 is the end: its offset is the size of the region, it counts as live, and the nodes form a
 * ring through it. So every node has neighbours, and nothing merges across the ends.
 *
 * Zeroed memory is an engine that is_empty(). Sizes and offsets are in units of the granularity
 * except where named bytes. No two neighbours are free.
 */
class engine {
 public:
  static constexpr node_number end = 0;

  [[nodiscard]] bool is_empty() const { return nodes_.count() == 0; }

  /// Requires: is_empty(), units > 0, a table with room for 2 nodes.
  void init(std::uint64_t units, unsigned unit_shift, void* table, std::size_t table_bytes);
  bool add_table(void* table, std::size_t bytes) { return nodes_.add(table, bytes); }
  /// Returns: false without a node. Requires: units >= total().
  bool grow(std::uint64_t units);
  /// Ends all blocks.
  void reset();

  /// Requires: `align` (in units) is a power of two.
  allocation allocate(std::uint64_t bytes, std::uint64_t align);
  /// Requires: a live block.
  void deallocate(node_number i);
  /// Requires: a live block. It has not changed unless the result is `done`.
  outcome try_expand(node_number i, std::uint64_t bytes);

  /// True when `i` is the node of a live block of that generation, whatever the numbers are.
  [[nodiscard]] bool is_live(node_number i, std::uint32_t generation) const {
    return i != end && generation != 0 && nodes_.has(i) && nodes_[i].generation == generation;
  }

  [[nodiscard]] const node& at(node_number i) const { return nodes_[i]; }
  [[nodiscard]] std::uint64_t units_of(node_number i) const {
    return nodes_[nodes_[i].after].offset - nodes_[i].offset;
  }
  [[nodiscard]] bool is_free(node_number i) const { return nodes_[i].generation == 0; }

  [[nodiscard]] unsigned unit_shift() const { return unit_shift_; }
  [[nodiscard]] std::uint64_t total() const { return nodes_[end].offset; }
  [[nodiscard]] std::uint64_t largest_free() const;
  [[nodiscard]] const counters& counts() const { return counts_; }
  [[nodiscard]] const node_table& nodes() const { return nodes_; }

  [[nodiscard]] invariant check() const;

 private:
  /// What is looked at for the best block, before one that surely suffices is taken.
  static constexpr unsigned bins_looked_at = 4;
  static constexpr unsigned blocks_looked_at = 16;  // in each of them

  [[nodiscard]] std::uint64_t units_for(std::uint64_t bytes) const;
  [[nodiscard]] bool holds(node_number i, std::uint64_t units, std::uint64_t align) const;
  [[nodiscard]] std::uint64_t gap_before(node_number i, std::uint64_t align) const {
    return (0 - nodes_[i].offset) & (align - 1);
  }
  [[nodiscard]] node_number find(std::uint64_t units, std::uint64_t align) const;
  [[nodiscard]] node_number find_slow(std::uint64_t units, std::uint64_t align) const;
  [[nodiscard]] node_number smallest_in(std::size_t bin, std::uint64_t units, std::uint64_t align,
                                        std::uint64_t looks) const;

  [[nodiscard]] invariant check_ring() const;
  [[nodiscard]] invariant check_bins() const;

  void add_whole(std::uint64_t units);
  node_number insert_after(node_number before, std::uint64_t offset);
  void remove(node_number i);
  void link_free(node_number i);
  void unlink_free(node_number i);
  void make_live(node_number i, std::uint64_t bytes);
  bool shrink_by(node_number i, std::uint64_t units);
  bool grow_by(node_number i, std::uint64_t units);

  node_table nodes_;
  counters counts_;
  std::uint32_t last_generation_;  // never reset: blocks of before a reset stay recognised
  unsigned unit_shift_;
  bin_lists bins_;
};

}  // namespace heapsmith::offsets
