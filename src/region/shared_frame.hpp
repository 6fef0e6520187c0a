// How a region refers to places in memory that several processes map, at different addresses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "region/block.hpp"

namespace heapsmith::regions {

/// The engine lies so far behind the start of the segment.
inline constexpr std::size_t shared_lead = 256;

/// What the holder of the lock is about to do, for its heir to finish or undo.
enum class intent : std::uint64_t {
  none,
  allocate,    // the block that becomes live meanwhile is nobody's yet, and shall be freed
  free_block,  // so shall this one, as its user asked
  reset,       // all blocks shall end
};

/// The processor makes stores visible in order, and what was stored is all that a killed process
/// leaves behind; this keeps the compiler to that order.
inline void keep_order() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// An intent with the block that it is about, whose link has zeroes in its low bits.
class intent_word {
 public:
  void set(intent what, link block = 0) {
    keep_order();
    detail::probe::store(word_, block | static_cast<std::uint64_t>(what));
    keep_order();
  }
  [[nodiscard]] intent what() const {
    return static_cast<intent>(detail::probe::load(word_) & flags);
  }
  [[nodiscard]] link block() const { return detail::probe::load(word_) & ~std::uint64_t{flags}; }

 private:
  word word_ = 0;
};

/// Where that lies in the segment.
inline constexpr std::size_t shared_intent_at = 32;

/// Links count from the start of the segment: whoever maps it at a multiple of an alignment finds
/// the blocks that lie there aligned, too.
class shared_frame {
 public:
  using watch = unwatched;
  static constexpr call_names calls = {"shared_region_free", "shared_region_realloc",
                                       "shared_region_try_expand"};

 protected:
  [[nodiscard]] link link_to(const void* p) const {
    return reinterpret_cast<std::uintptr_t>(p) - base();
  }
  [[nodiscard]] std::byte* place_of(link l) const {
    return reinterpret_cast<std::byte*>(base() + l);
  }

  /// What makes a block live during an allocation is told before it is done.
  void publish(word& header, std::uint64_t value) {
    if ((value & (is_free | is_deferred)) == 0 && intended().what() == intent::allocate &&
        becomes_live(header, value))
      intended().set(intent::allocate, link_to(&header) + header_bytes);
    keep_order();
    detail::probe::store(header, value);
    keep_order();
  }

 private:
  [[nodiscard]] std::uintptr_t base() const {
    return reinterpret_cast<std::uintptr_t>(this) - shared_lead;
  }
  [[nodiscard]] intent_word& intended() const {
    return *reinterpret_cast<intent_word*>(base() + shared_intent_at);
  }

  /// A block that was live before can only learn that the one in front of it is free, or no more.
  static bool becomes_live(const word& header, std::uint64_t value) {
    return ((detail::probe::load(header) ^ value) & ~std::uint64_t{after_free}) != 0;
  }
};

}  // namespace heapsmith::regions
