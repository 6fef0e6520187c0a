// All that a pool takes from its upstream: pieces, and large blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/on_failure.hpp"
#include "heapsmith/detail/pool_resource/piece_lists.hpp"
#include "heapsmith/detail/probe.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith {

/// The statistics of a pool resource.
struct pool_stats {
  std::size_t piece_bytes;   ///< of one piece
  std::size_t pieces;        ///< from upstream, spare ones included
  std::size_t spare_pieces;  ///< empty, and kept for any size class
  std::size_t large_blocks;  ///< from upstream, one by one
  std::size_t large_bytes;   ///< of large blocks
};

}  // namespace heapsmith

namespace heapsmith::detail {

/// Lies behind every large block and links them, so that the pool can end all of them. Its position
/// follows from the size of the block. Its memory is poisoned, so that tools notice an overrun.
struct large_record {
  probe::word previous, next, block, bytes, align;

  /// Returns: its distance from the start of a block of `bytes` bytes.
  static constexpr std::size_t offset(std::size_t bytes) {
    return (bytes + alignof(std::max_align_t) - 1) & ~(alignof(std::max_align_t) - 1);
  }
};

/// Keeps up to `kept` empty pieces as spares, and gives others upstream at once. For one thread at
/// a time. docs/design/pools.md has the reasons for their number and size.
template <class Upstream, std::size_t Bytes>
class piece_source {
 public:
  static constexpr std::size_t kept = 8;

  piece_source() = default;
  template <class U>
  explicit piece_source(U& u) noexcept : upstream_(u) {}

  /// Returns: memory for a piece, without a header.
  template <on_failure Otherwise>
  [[nodiscard]] void* take() noexcept(Otherwise == on_failure::returns_null) {
    if (spare_ != nullptr) {
      void* start = spare_;
      spare_ = spare_->next;
      --spares_;
      spare_piece::end(start);
      return start;
    }
    void* start = from_upstream<Otherwise>(Bytes, Bytes);
    if (start == nullptr) return nullptr;
    ++pieces_;
    // The part with the header stays accessible: the allocator uses it.
    probe::enter_buffer(this, static_cast<char*>(start) + reserved, Bytes - reserved);
    return start;
  }

  /// Effects: keeps an empty piece as a spare, or gives it upstream if there are enough spares.
  void give(piece* p) noexcept { spares_ < kept ? keep(start_of(p)) : give_upstream(start_of(p)); }

  /// Effects: keeps a piece as a spare, and ends the blocks in it.
  void reset(piece* p) noexcept {
    void* start = start_of(p);
    probe::enter_buffer(this, static_cast<char*>(start) + reserved, Bytes - reserved);
    keep(start);
  }

  void give_upstream(piece* p) noexcept { give_upstream(start_of(p)); }

  void give_spares_upstream() noexcept {
    while (spare_ != nullptr) {
      spare_piece* s = spare_;
      spare_ = s->next;
      give_upstream(s);
    }
    spares_ = 0;
  }

  template <on_failure Otherwise>
  [[nodiscard]] void*
  take_large(std::size_t bytes, std::size_t align) noexcept(Otherwise == on_failure::returns_null) {
    if (bytes > SIZE_MAX / 2) return refuse<Otherwise>();
    char* p = static_cast<char*>(from_upstream<Otherwise>(with_record(bytes), wide(align)));
    if (p == nullptr) return nullptr;
    auto* r = new (p + large_record::offset(bytes)) large_record;
    probe::enter_buffer(this, r, sizeof *r);
    probe::store(r->block, reinterpret_cast<std::uintptr_t>(p));
    probe::store(r->bytes, bytes);
    probe::store(r->align, align);
    probe::store(r->previous, 0);
    probe::store(r->next, address(large_));
    if (large_ != nullptr) probe::store(large_->previous, address(r));
    large_ = r;
    ++large_blocks_;
    large_bytes_ += large_record::offset(bytes);
    return p;
  }

  void give_large(void* p, std::size_t bytes, std::size_t align) noexcept {
    auto* r = std::launder(
        reinterpret_cast<large_record*>(static_cast<char*>(p) + large_record::offset(bytes)));
    HS_ASSERT(probe::load(r->block) == reinterpret_cast<std::uintptr_t>(p));
    large_record* before = record(probe::load(r->previous));
    large_record* after = record(probe::load(r->next));
    if (after != nullptr) probe::store(after->previous, address(before));
    if (before != nullptr)
      probe::store(before->next, address(after));
    else
      large_ = after;
    --large_blocks_;
    large_bytes_ -= large_record::offset(bytes);
    probe::leave_buffer(this, p, with_record(bytes));
    upstream_->deallocate(p, with_record(bytes), wide(align));
  }

  /// Effects: ends the blocks for tools, before reset() keeps their pieces.
  void end_blocks() noexcept { probe::ended(this); }

  void give_all_large() noexcept {
    while (large_ != nullptr)
      give_large(reinterpret_cast<void*>(static_cast<std::uintptr_t>(probe::load(large_->block))),
                 probe::load(large_->bytes), probe::load(large_->align));
  }

  template <on_failure Otherwise>
  void* from_upstream(std::size_t bytes, std::size_t align) {
    if constexpr (Otherwise == on_failure::throws)
      return upstream_->allocate(bytes, align);
    else
      return upstream_->try_allocate(bytes, align);
  }
  void to_upstream(void* p, std::size_t bytes, std::size_t align) noexcept {
    upstream_->deallocate(p, bytes, align);
  }

  pool_stats stats() const noexcept {
    return {Bytes, pieces_, spares_, large_blocks_, large_bytes_};
  }

 private:
  using layout = piece_layout<Bytes>;
  static constexpr std::size_t reserved = layout::colours * layout::header_bytes;

  /// Lies at the start of a spare piece.
  struct spare_piece {
    spare_piece* next;
    static void end(void* start) noexcept { static_cast<spare_piece*>(start)->~spare_piece(); }
  };

  static void* start_of(piece* p) noexcept {
    return reinterpret_cast<void*>(layout::start(reinterpret_cast<std::uintptr_t>(p)));
  }

  void keep(void* start) noexcept {
    spare_ = new (start) spare_piece{spare_};
    ++spares_;
  }

  void give_upstream(void* start) noexcept {
    probe::leave_buffer(this, start, Bytes);
    --pieces_;
    upstream_->deallocate(start, Bytes, Bytes);
  }

  static constexpr std::size_t with_record(std::size_t bytes) {
    return large_record::offset(bytes) + sizeof(large_record);
  }
  static constexpr std::size_t wide(std::size_t align) {
    return align > alignof(std::max_align_t) ? align : alignof(std::max_align_t);
  }

  static std::uintptr_t address(const large_record* r) noexcept {
    return reinterpret_cast<std::uintptr_t>(r);
  }
  static large_record* record(std::uint64_t address) noexcept {
    return reinterpret_cast<large_record*>(static_cast<std::uintptr_t>(address));
  }

  template <on_failure Otherwise>
  static void* refuse() {
    if constexpr (Otherwise == on_failure::throws) raise(std::bad_alloc());
    return nullptr;
  }

  [[no_unique_address]] upstream<Upstream> upstream_;
  spare_piece* spare_ = nullptr;
  std::size_t spares_ = 0;
  std::size_t pieces_ = 0;
  large_record* large_ = nullptr;
  std::size_t large_blocks_ = 0;
  std::size_t large_bytes_ = 0;
};

}  // namespace heapsmith::detail
