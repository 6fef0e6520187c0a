// The middle blocks that a thread caches, and how many bytes of them it may.
//
// No thread owns slabs of middle classes: they are the shared heap's. A thread takes blocks from
// there and returns them, many at a time. In between it allocates from, and frees into, a list for
// each class: docs/design/slabs.md says why.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/size_classes.hpp"
#include "slabs/block.hpp"

namespace heapsmith {

/// The classes above those that the table of small requests leads to.
inline constexpr std::size_t first_middle = class_of(direct_max) + 1;
inline constexpr std::size_t middle_count = class_count - first_middle;

constexpr bool is_middle(std::size_t c) {
  return c >= first_middle;
}

/// All threads together may cache so much in any case, and leave twice as much in the depot.
inline constexpr std::int64_t cached_together = 2 * MiB;

/// The bytes of middle blocks that are out of slabs and not cached by threads, as these report, and
/// of those in the depot. relaxed: only numbers. On a cache line that has nothing else.
inline constinit struct alignas(64) middle_byte_counts {
  atomic<std::int64_t> out{0}, in_depot{0};
  std::int64_t in_use() const { return out.load(relaxed) - in_depot.load(relaxed); }
} middle_bytes;

inline std::int64_t bytes_of(std::size_t c, std::uint32_t blocks) {
  return std::int64_t{class_table[c].bytes} * blocks;
}

/// How many bytes a thread may cache over all classes: a few, and more where it returned blocks of
/// a class and needed some again. That more is at most its share of what all have in use, or what
/// it took itself and has in use; up to a bound.
class cache_budget {
 public:
  static constexpr std::int64_t step = 32 * KiB;

  /// Whether a block of so many bytes may be cached. Not where nothing was taken yet.
  bool has_room(std::uint32_t bytes) const { return room_ >= bytes; }
  void note_freed(std::uint32_t bytes) { room_ -= bytes; }
  void note_allocated(std::uint32_t bytes) { room_ += bytes; }
  std::int64_t room() const { return room_; }
  /// Whether it may be cached if nothing else is.
  bool allows(std::uint32_t bytes) const { return allowed_ >= bytes; }
  /// Other threads get a hint.
  __attribute__((no_sanitize("thread"))) std::int64_t cached() const { return allowed_ - room_; }

  /// A thread that has no block of a class takes some: returns how many. One it needs; the others
  /// are at most a sixteenth of what it has.
  std::uint32_t blocks_to_take(std::size_t c, std::int64_t share) {
    std::uint64_t& returned = returned_[c / 64];
    if ((returned & bit(c)) != 0) earned_ += std::max(step, bytes_of(c, 1));
    returned &= ~bit(c);
    allow(share);
    return 1 + static_cast<std::uint32_t>(std::min(step, taken_ / 16) / bytes_of(c, 1));
  }

  /// It took them, and caches all but one.
  void note_taken(std::size_t c, std::uint32_t blocks) {
    taken_ += bytes_of(c, blocks);
    room_ -= bytes_of(c, blocks - 1);
  }

  /// A free found no room for a block of so many bytes, and caches it. Returns the room to be made
  /// by returning some: that for more; 0: there was room.
  std::int64_t room_to_make(std::int64_t share, std::uint32_t bytes) {
    allow(share);  // the block was in use
    note_freed(bytes);
    return room_ >= 0 ? 0 : std::max<std::int64_t>(allowed_ / 8, 1);
  }

  /// It returned some, which it had cached.
  [[gnu::noinline]] void note_returned(std::size_t c, std::uint32_t blocks) {
    if (blocks == 0) return;
    returned_[c / 64] |= bit(c);
    room_ += bytes_of(c, blocks);
    taken_ = std::max<std::int64_t>(taken_ - bytes_of(c, blocks), 0);
  }

  /// Counts what it caches as not in use, if that differs by over `least` from the last report.
  void report(std::int64_t least) {
    const std::int64_t more = cached() - reported_;
    if (std::max(more, -more) <= least) return;
    middle_bytes.out.fetch_sub(more, relaxed);
    reported_ += more;
  }

  /// It returned all, and has to earn again what it may cache.
  void forget() {
    report(0);
    room_ = allowed_ = earned_ = 0;
    for (std::uint64_t& word : returned_) word = 0;
  }

 private:
  static constexpr std::uint64_t bit(std::size_t c) { return std::uint64_t{1} << (c % 64); }

  void allow(std::int64_t share) {
    const std::int64_t more = std::min(std::max(share, taken_ - cached()), 8 * cached_together);
    const std::int64_t now = std::min(step, share) / 2 + std::min(earned_, more);
    room_ += now - allowed_;
    allowed_ = now;
  }

  std::int64_t room_ = 0;  // how many bytes more may be cached
  std::int64_t allowed_ = 0;
  std::int64_t earned_ = 0;    // beyond the few
  std::int64_t taken_ = 0;     // from the shared heap, and not returned by this thread
  std::int64_t reported_ = 0;  // the last cached() that middle_bytes lacks
  // The set of classes of which it returned some, and took none since.
  std::uint64_t returned_[(class_count + 63) / 64] = {};
};

}  // namespace heapsmith
