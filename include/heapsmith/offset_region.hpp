// Blocks of something that is never touched, such as a GPU heap or a file: offsets and sizes.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/region/visitor.hpp"
#include "heapsmith/detail/upstream.hpp"
#include "heapsmith/offset_region.h"
#include "heapsmith/resource.hpp"

namespace heapsmith {

using offset_region_stats = hs_offset_region_statistics;
using offset_region_view = hs_offset_region_view;

/// A block of an offset region, or no block, which converts to false.
struct offset_block : hs_offset_block {
  constexpr offset_block() noexcept : hs_offset_block{} {}
  constexpr offset_block(const hs_offset_block& b) noexcept : hs_offset_block(b) {}
  constexpr explicit operator bool() const noexcept { return node != 0; }
  friend constexpr bool operator==(const offset_block& a, const offset_block& b) noexcept {
    return a.offset == b.offset && a.node == b.node && a.generation == b.generation;
  }
};

/**
 * Divides the numbers from 0 to a size into blocks, without accessing what they count. It wraps
 * hs_offset_region.
 *
 * Memory for the table of nodes comes from `Upstream` when it is needed, in pieces that double in
 * size, so no node ever moves. An offset region is not a resource in the sense of resource.hpp,
 * because its blocks are not pointers. It neither copies nor moves. Destroying it ends all blocks
 * and deallocates the table.
 *
 * Errors: allocate returns a block that is false if no free block is large enough, or if the
 * upstream has no memory for a node; nothing has changed then. Construction cannot fail, so there
 * is no try_create. Using a block that is not live aborts the process.
 * Complexity: constant, except for doubling the table.
 * Thread safety: none.
 *
 * ```cpp
 * heapsmith::offset_region heap(std::uint64_t{8} << 30, 256);    // 8 GiB on a device
 * const heapsmith::offset_block texture = heap.allocate(5'000'000, 65'536);
 * // bind_memory(image, device_memory, texture.offset);
 * heap.deallocate(texture);
 * ```
 */
template <resource Upstream = default_resource>
class offset_region {
 public:
  /// Effects: makes the offsets from 0 to `size` available. The upstream is not used before the
  /// first block is allocated.
  /// Requires: `granularity` is a power of two up to 2^31; `size` is at least `granularity` and
  /// less than 2^63. Otherwise every request fails.
  explicit offset_region(std::uint64_t size, std::uint64_t granularity = 1) noexcept
    requires detail::resource_handle<Upstream> && std::default_initializable<Upstream>
      : size_(size), granularity_(granularity) {}

  /// The same, with a table from `upstream`. A handle is copied; any other upstream must outlive
  /// the region.
  offset_region(std::uint64_t size, std::uint64_t granularity, Upstream& upstream) noexcept
      : size_(size), granularity_(granularity), upstream_(upstream) {}
  offset_region(std::uint64_t size, std::uint64_t granularity, const Upstream& upstream) noexcept
    requires detail::resource_handle<Upstream>
      : size_(size), granularity_(granularity), upstream_(upstream) {}

  offset_region(const offset_region&) = delete;
  offset_region& operator=(const offset_region&) = delete;

  ~offset_region() {
    hs_offset_region_destroy(&control_);
    for (unsigned i = pieces_; i-- != 0;)
      upstream_->deallocate(tables_[i], bytes_of(i), table_align);
  }

  /// Effects: allocates `bytes` at a multiple of `align`.
  /// Returns: the block; one that is false if that fails.
  /// Requires: `align` is a power of two.
  [[nodiscard]] offset_block allocate(std::uint64_t bytes, std::uint64_t align = 1) noexcept {
    for (;;) {
      if (pieces_ == 0 && !start()) return {};
      const offset_block b = hs_offset_region_allocate(&control_, bytes, align);
      if (b || errno != ENOBUFS || !add_table()) return b;
    }
  }

  /// Effects: ends the block; does nothing if it is false. Complexity: constant.
  void deallocate(const offset_block& b) noexcept { hs_offset_region_deallocate(&control_, b); }

  /// Effects: makes the block `bytes` long, longer or shorter, without moving it.
  /// Returns: true on success.
  [[nodiscard]] bool try_expand(const offset_block& b, std::uint64_t bytes) noexcept {
    int error = hs_offset_region_try_expand(&control_, b, bytes);
    if (error == ENOBUFS && add_table()) error = hs_offset_region_try_expand(&control_, b, bytes);
    return error == 0;
  }

  /// Effects: increases the size of the region, for example after a file has grown.
  /// Returns: false if `size` is less than before or at least 2^63, or the upstream has no memory.
  bool grow(std::uint64_t size) noexcept {
    if (pieces_ == 0) {
      if (size < size_ || size >> 63 != 0) return false;
      size_ = size;
      return true;
    }
    int error = hs_offset_region_grow(&control_, size);
    if (error == ENOBUFS && add_table()) error = hs_offset_region_grow(&control_, size);
    if (error == 0) size_ = size;
    return error == 0;
  }

  /// Returns: the size of the block, rounded up to the granularity. Requires: the block is live.
  [[nodiscard]] std::uint64_t size_of(const offset_block& b) const noexcept {
    return hs_offset_region_size_of(&control_, b);
  }

  /// Returns: whether this is a live block of the region.
  [[nodiscard]] bool owns(const offset_block& b) const noexcept {
    return hs_offset_region_owns(&control_, b) != 0;
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return size_ & ~(granularity_ - 1); }
  [[nodiscard]] std::uint64_t granularity() const noexcept { return granularity_; }

  /// Effects: ends all blocks; the table stays. Complexity: constant.
  void reset() noexcept { hs_offset_region_reset(&control_); }

  /// Returns: see hs_offset_region_stats. Complexity: linear in the free blocks of the highest bin.
  [[nodiscard]] offset_region_stats stats() const noexcept {
    offset_region_stats out;
    out.size = sizeof out;
    hs_offset_region_stats(&control_, &out);
    if (pieces_ == 0) {
      out.free_blocks = 1;
      out.total_bytes = out.available_bytes = out.largest_free_bytes = size();
    }
    return out;
  }

  /// Effects: calls `visit(const offset_region_view&)` for every block, live or free, in the order
  /// of offsets.
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    if (pieces_ == 0) {
      visit(offset_region_view{{}, size(), 0});
      return;
    }
    detail::visitor context(visit);
    hs_offset_region_for_each_block(&control_, context.template call<offset_region_view>, &context);
  }

  /// Returns: 0 if all invariants hold; else the number of a broken one.
  [[nodiscard]] int check() const noexcept { return hs_offset_region_check(&control_); }

  /// Returns: the region for calls of the C API. It has no table before the first block.
  [[nodiscard]] hs_offset_region* native() noexcept { return &control_; }

 private:
  static constexpr std::size_t table_align = 8;
  static constexpr unsigned pieces_max = HS_OFFSET_REGION_PIECES;

  /// As in hs_offset_region_add_table: 64 nodes in the first piece, twice as many in each next one.
  static constexpr std::size_t bytes_of(unsigned piece) {
    return (std::size_t{64} << piece) * HS_OFFSET_REGION_NODE_BYTES;
  }

  [[nodiscard]] bool start() noexcept {
    void* table = upstream_->try_allocate(bytes_of(0), table_align);
    if (table == nullptr) return false;
    if (hs_offset_region_init(&control_, size_, granularity_, table, bytes_of(0)) != 0)
      return upstream_->deallocate(table, bytes_of(0), table_align), false;
    tables_[pieces_++] = table;
    return true;
  }

  [[nodiscard]] bool add_table() noexcept {
    if (pieces_ == pieces_max) return false;
    void* table = upstream_->try_allocate(bytes_of(pieces_), table_align);
    if (table == nullptr) return false;
    hs_offset_region_add_table(&control_, table, bytes_of(pieces_));
    tables_[pieces_++] = table;
    return true;
  }

  std::uint64_t size_;
  std::uint64_t granularity_;
  hs_offset_region control_ = {};
  void* tables_[pieces_max] = {};
  unsigned pieces_ = 0;
  [[no_unique_address]] detail::upstream<Upstream> upstream_;
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
