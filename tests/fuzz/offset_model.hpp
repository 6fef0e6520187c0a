// The model of an offset region: a map of the live blocks, which determines everything else.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "heapsmith/offset_region.h"

namespace heapsmith::fuzz {

struct offset_live {
  hs_offset_block handle;
  std::uint64_t bytes, asked;
};

class offset_model {
 public:
  explicit offset_model(hs_offset_region* region) : region_(region) {}

  void start(std::uint64_t size, std::uint64_t granularity);
  void grow(std::uint64_t size) { size_ = rounded_down(size); }

  [[nodiscard]] std::size_t count() const { return blocks_.size(); }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t granularity() const { return granularity_; }
  [[nodiscard]] std::uint64_t rounded_down(std::uint64_t n) const {
    return n & ~(granularity_ - 1);
  }
  /// The size of the block for a request; greater than all sizes if there is no such number.
  [[nodiscard]] std::uint64_t rounded(std::uint64_t asked) const;

  /// Adds a block that the region returned. It must have this size, be aligned, and lie in a gap.
  void add(hs_offset_block b, std::uint64_t asked, std::uint64_t align);
  offset_live remove(std::size_t index);
  [[nodiscard]] const offset_live& look(std::size_t index) const { return blocks_[index]; }
  void forget_blocks() { blocks_.clear(), ends_.clear(); }

  /// Returns: the smallest gap that holds an aligned request; 0 if none does.
  [[nodiscard]] std::uint64_t smallest_gap(std::uint64_t bytes, std::uint64_t align) const;
  /// Returns: the gap around an offset outside all blocks.
  [[nodiscard]] std::uint64_t gap_around(std::uint64_t offset) const;
  [[nodiscard]] std::uint64_t room_behind(const offset_live& b) const;

  [[nodiscard]] hs_offset_region_statistics stats() const;
  /// Checks what must hold between steps: the region's own invariants, and that its blocks and
  /// statistics are those of the model.
  void check() const;

 private:
  template <class Visit>
  void for_each_gap(Visit visit) const;
  void check_stats() const;

  hs_offset_region* region_;
  std::uint64_t size_ = 0, granularity_ = 1;
  std::vector<offset_live> blocks_;
  std::map<std::uint64_t, std::uint64_t> ends_;  // offset of a block → its end
};

}  // namespace heapsmith::fuzz
