// The model of a region: its buffers, the blocks that must exist, where they lie, what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "heapsmith/region.h"
#include "model.hpp"
#include "region_storage.hpp"

namespace heapsmith::fuzz {

/// What the model asks of a region, of whichever kind it is.
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

  /// The region took a buffer; one that adjoins another becomes one with it.
  void add_buffer(extent buffer);
  bool overlaps_buffer(extent e) const;

  /// The region returned a block: it lies in a buffer, overlaps none, is aligned and long enough.
  void add(void* p, std::size_t bytes, std::size_t align);
  /// Takes a block out of the model, to be freed or resized; its contents were checked.
  block remove(std::size_t index);
  const block& look(std::size_t index) const { return blocks_[index]; }
  /// The region ended all blocks.
  void forget_blocks();
  /// … and forgot its buffers.
  void forget_buffers() { buffers_.clear(); }

  /// The region refused: there must be no free block that could have served.
  void check_refusal(std::size_t bytes, std::size_t align) const;
  /// The block at `p` was freed: no byte of it may be read any more, as far as a sanitizer can say.
  static void check_unreadable(const block& b);
  /// What must hold between any two steps: the region's own invariants, and that its blocks are the
  /// model's, that they fill the buffers, and that the figures agree.
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
