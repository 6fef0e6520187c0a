// The engine of offset regions: blocks of the numbers from 0 on, described by nodes in a table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "region/offset_bins.hpp"
#include "region/offset_nodes.hpp"

namespace heapsmith::offsets {

/// Whether a request was served; if not, what was missing.
enum class outcome : std::uint8_t { done, no_space, no_node };

/// The result of allocate(): the node of the new block, or 0 and the reason.
struct allocation {
  node_number number;
  outcome result;
};

/// The invariants that hold between calls. engine::check() returns the first invariant that is
/// broken.
enum class invariant : std::uint8_t {
  all_hold,
  ring_is_closed,           // links between neighbours lead back
  offsets_ascend,           // from 0 to the size of the region, and no block is empty
  free_blocks_have_merged,  // no two neighbours are free
  stats_are_right,          // they agree with the blocks, units and waste of the nodes
  bins_are_lists,           // links lead back, and the map marks bins that are not empty
  free_blocks_are_binned,   // each once, in the bin of its size
  nodes_are_accounted,      // every node that was taken from the table is in the ring
};

/// The name of an invariant, for messages.
const char* name_of(invariant broken);

/// Numbers that every call keeps up to date.
struct stats {
  std::uint64_t blocks = 0;
  std::uint64_t free_blocks = 0;
  std::uint64_t in_use = 0;       // units of live blocks
  std::uint64_t peak = 0;         // highest in_use
  std::uint64_t waste_bytes = 0;  // sum of all live nodes' waste
  std::uint64_t failed = 0;
};

/**
 * All nodes form a ring. Node 0 is its end: its offset is the size of the region, and it counts as
 * live. So every node has neighbours, and blocks do not merge across the ends.
 *
 * Zeroed memory is an engine that is_empty(). Sizes and offsets are in units of the granularity,
 * unless their name says bytes. No two neighbours are free.
 */
class engine {
 public:
  static constexpr node_number end = 0;

  [[nodiscard]] bool is_empty() const { return nodes_.count() == 0; }

  /// Requires: is_empty(), units > 0, a table with room for 2 nodes.
  void init(std::uint64_t units, unsigned unit_shift, void* table, std::size_t table_bytes);
  bool add_table(void* table, std::size_t bytes) { return nodes_.add(table, bytes); }
  /// Returns: false if the table has no free node. Requires: units >= total().
  bool grow(std::uint64_t units);
  /// Ends all blocks.
  void reset();

  /// Requires: `align` (in units) is a power of two.
  allocation allocate(std::uint64_t bytes, std::uint64_t align);
  /// Requires: a live block.
  void deallocate(node_number i);
  /// Requires: a live block. It is unchanged unless the result is `done`.
  outcome try_expand(node_number i, std::uint64_t bytes);

  /// Whether `i` is the node of a live block of this generation. Accepts any numbers.
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
  [[nodiscard]] const stats& measure() const { return stats_; }
  [[nodiscard]] const node_table& nodes() const { return nodes_; }

  [[nodiscard]] invariant check() const;

 private:
  /// How many blocks find() looks at before it takes one that surely holds the request.
  static constexpr unsigned bins_looked_at = 4;
  static constexpr unsigned blocks_looked_at = 16;  // in each of them
  /// And how many find_slow() looks at before it gives up.
  static constexpr unsigned most_looked_at = 256;

  [[nodiscard]] std::uint64_t units_for(std::uint64_t bytes) const;
  [[nodiscard]] bool holds(node_number i, std::uint64_t units, std::uint64_t align) const;
  [[nodiscard]] std::uint64_t gap_before(node_number i, std::uint64_t align) const {
    return (0 - nodes_[i].offset) & (align - 1);
  }
  [[nodiscard]] node_number find(std::uint64_t units, std::uint64_t align) const;
  [[nodiscard]] node_number find_slow(std::uint64_t units, std::uint64_t align) const;
  [[nodiscard]] node_number smallest_in(std::size_t bin, std::uint64_t units, std::uint64_t align,
                                        unsigned& looks) const;

  [[nodiscard]] invariant check_ring() const;
  [[nodiscard]] invariant check_bins() const;

  static std::uint32_t first_generation();
  void add_whole(std::uint64_t units);
  node_number insert_after(node_number before, std::uint64_t offset);
  void remove(node_number i);
  void link_free(node_number i);
  void unlink_free(node_number i);
  void make_live(node_number i, std::uint64_t bytes);
  bool shrink_by(node_number i, std::uint64_t units);
  bool grow_by(node_number i, std::uint64_t units);

  node_table nodes_;
  stats stats_;
  std::uint32_t last_generation_;  // never reset, so blocks from before a reset are recognised
  unsigned unit_shift_;
  bin_lists bins_;
};

}  // namespace heapsmith::offsets
