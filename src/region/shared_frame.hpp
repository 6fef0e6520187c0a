// How a region refers to memory that several processes map, at different addresses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "region/block.hpp"

namespace heapsmith::regions {

/// The distance of the engine from the start of the segment. The lock before it has 16 mutexes of
/// the C library, whose size differs.
#if defined(__aarch64__)
inline constexpr std::size_t shared_lead = 1024;
#else
inline constexpr std::size_t shared_lead = 896;
#endif

/// The next action of the holder of the lock. If it dies, its heir finishes or undoes that.
enum class intent : std::uint64_t {
  none,
  allocate,    // allocate the block; the heir frees it, because nobody got it
  free_block,  // free the block; the heir does so
  reset,       // end all blocks; the heir does so
};

/// Keeps the compiler from reordering stores. A killed process leaves behind all its stores up to
/// one point of the program, and none after it.
inline void keep_order() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// An intent and the link of its block, whose low bits are zero.
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

/// The offset of the intent in the segment.
inline constexpr std::size_t shared_intent_at = 32;

/// The frame of a region in a segment: links are offsets from the start of the segment. So in every
/// process that maps the segment at a multiple of an alignment, the same blocks are aligned to it.
class shared_frame {
 public:
  using bins = region_bins::fine;
  using watch = unwatched;
  static constexpr call_names calls = {"shared_region_free", "shared_region_realloc",
                                       "shared_region_try_expand"};

 protected:
  [[nodiscard]] link link_to(const void* p) const {
    return reinterpret_cast<std::uintptr_t>(p) - base();
  }
  [[nodiscard]] std::byte* address_of(link l) const {
    return reinterpret_cast<std::byte*>(base() + l);
  }

  /// Before a header makes a block live during an allocation, the intent gets the block's link.
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

  /// Of the header of a block that is already live, only the flag after_free changes.
  static bool becomes_live(const word& header, std::uint64_t value) {
    return ((detail::probe::load(header) ^ value) & ~std::uint64_t{after_free}) != 0;
  }
};

}  // namespace heapsmith::regions
