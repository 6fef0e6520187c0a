// The model of a region: its buffers, and the blocks that must exist, with addresses and contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "heapsmith/region.h"
#include "model.hpp"
#include "region_storage.hpp"

namespace heapsmith::fuzz {

/// The functions of a region of any kind that the model calls.
class questions {
 public:
  virtual ~questions() = default;
  [[nodiscard]] virtual std::size_t usable_size(const void* p) const = 0;
  [[nodiscard]] virtual bool owns(const void* p) const = 0;
  [[nodiscard]] virtual int check() const = 0;
  [[nodiscard]] virtual hs_region_statistics stats() const = 0;
  virtual void for_each_block(void (*visit)(void*, const hs_region_block*),
                              void* context) const = 0;
};

/// A size below 512 KiB: near a power of two, or anywhere below one; mostly small.
std::size_t region_bytes(tape& t);

class region_model {
 public:
  explicit region_model(const questions& region) : region_(region) {}

  std::size_t count() const { return blocks_.size(); }
  bool has_memory() const { return !buffers_.empty(); }
  const std::vector<extent>& buffers() const { return buffers_; }

  /// Adds a buffer that the region took. Adjoining buffers become one.
  void add_buffer(extent buffer);
  bool overlaps_buffer(extent e) const;

  /// Adds a block that the region returned. It must lie in a buffer, overlap no other, be aligned
  /// and have its size.
  void add(void* p, std::size_t bytes, std::size_t align);
  /// Checks the contents of a block and takes it out of the model, to be freed or resized.
  block remove(std::size_t index);
  const block& look(std::size_t index) const { return blocks_[index]; }
  /// Removes all blocks.
  void forget_blocks();
  /// Removes all blocks and buffers.
  void forget_buffers() { buffers_.clear(); }

  /// Checks that no free block could have served a request that failed.
  void check_refusal(std::size_t bytes, std::size_t align) const;
  /// Checks that the freed block at `p` is poisoned, if a sanitizer is present.
  static void check_unreadable(const block& b);
  /// Checks what must hold between steps: the region's own invariants, that its blocks are those of
  /// the model and fill the buffers, and that the statistics agree.
  void check_region() const;
  void check_contents() const;

 private:
  const questions& region_;
  std::vector<extent> buffers_;
  std::vector<block> blocks_;
  std::map<const unsigned char*, const unsigned char*> extents_;  // start → end of usable bytes
  unsigned char next_mark_ = 1;
};

}  // namespace heapsmith::fuzz
