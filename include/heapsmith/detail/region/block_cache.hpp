// Freed small blocks that are kept for their next use: a list for each size, and one brief lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/brief_lock.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/// Blocks of a region have 16k + 8 usable bytes; list k keeps those. Functions on integers.
namespace cache_lists {

constexpr std::size_t usable_bytes(unsigned list) {
  return 16 * std::size_t{list} + 8;
}

/// Returns: the list whose blocks are the smallest that suffice. The first is 1: the smallest block
/// has 24 usable bytes.
constexpr unsigned serving(std::size_t bytes) {
  return std::max(1u, static_cast<unsigned>((bytes + 7) / 16));
}

/// The number of blocks in a batch to or from the region: 4 KiB of them, but between 4 and 32. One
/// visit of the region for 32 blocks costs little; even 4 of the largest blocks quarter the visits.
constexpr unsigned batch(unsigned list) {
  return std::clamp(256 / list, 4u, 32u);
}

/// The most blocks that a list keeps.
constexpr unsigned most_blocks(unsigned list) {
  return 2 * batch(list);
}

}  // namespace cache_lists

/// A block in a cache: a link and a mark. Memory checkers report it if the program accesses them.
struct [[gnu::may_alias]] cached_block {
  probe::word next, mark;

  static cached_block* at(void* p) noexcept { return static_cast<cached_block*>(p); }
  static const cached_block* at(const void* p) noexcept {
    return static_cast<const cached_block*>(p);
  }

  cached_block* following() const noexcept {
    return reinterpret_cast<cached_block*>(probe::load(next));
  }
  void link_to(const cached_block* b) noexcept {
    probe::store(next, reinterpret_cast<std::uintptr_t>(b));
  }

  /// A block in use has the mark only if the program wrote it, or left it there from an earlier
  /// use.
  bool is_marked() const noexcept { return probe::load(mark) == own_mark(); }
  void set_mark() noexcept { probe::store(mark, own_mark()); }
  void clear_mark() noexcept { probe::store(mark, 0); }

 private:
  std::uintptr_t own_mark() const noexcept {
    return reinterpret_cast<std::uintptr_t>(this) ^ 0x9e3779b97f4a7c15u;
  }
};

/**
 * A cache of small blocks of `Lists` sizes, which a few threads share. All functions need the lock.
 *
 * Invariants, which is_sound() checks: the room of a list is reduced by the number of its blocks;
 * the budget is reduced by the usable bytes of all blocks; every block has its mark.
 */
template <unsigned Lists>
class alignas(64) block_cache {
 public:
  brief_lock lock;

  block_cache() noexcept { forget(); }

  /// Effects: limits the usable bytes of all blocks in the cache. Requires: not less than before.
  void set_budget(std::size_t bytes) noexcept {
    const auto budget = static_cast<std::int32_t>(bytes);
    left_bytes_ += budget - budget_bytes_;
    budget_bytes_ = budget;
  }

  /// Returns: the block that was kept last, or nullptr if the list is empty.
  void* take(unsigned list) noexcept {
    kept& k = lists_[list];
    cached_block* b = k.first;
    if (b == nullptr) [[unlikely]]
      return nullptr;
    k.first = b->following();
    count_out(list);
    b->clear_mark();
    return b;
  }

  bool has_room(unsigned list) const noexcept {
    return lists_[list].room != 0 && left_bytes_ >= bytes_in(list);
  }

  /// Requires: has_room(list).
  void keep(void* p, unsigned list) noexcept {
    kept& k = lists_[list];
    cached_block* b = cached_block::at(p);
    b->link_to(k.first);
    b->set_mark();
    k.first = b;
    --k.room;
    left_bytes_ -= bytes_in(list);
  }

  /// Effects: makes room in a list, as far as the budget permits, by calling `give(block, list)`.
  /// If the list is full, it gives its older half, which has left the processor's caches. While the
  /// budget is used up, one list after another gives its older half.
  template <class Give>
  void make_room(unsigned list, Give give) noexcept {
    if (lists_[list].room == 0) give_older_half(list, give);
    while (left_bytes_ < bytes_in(list) && left_bytes_ != budget_bytes_) {
      victim_ = victim_ % Lists + 1;
      give_older_half(victim_, give);
    }
  }

  template <class Give>
  void give_all(Give give) noexcept {
    for (unsigned list = 1; left_bytes_ != budget_bytes_ && list <= Lists; ++list) {
      cached_block* first = lists_[list].first;
      lists_[list].first = nullptr;
      give_chain(first, list, give);
    }
  }

  /// Effects: forgets all blocks, which have ended with those of their region.
  void forget() noexcept {
    for (unsigned list = 1; list <= Lists; ++list)
      lists_[list] = {nullptr, cache_lists::most_blocks(list)};
    left_bytes_ = budget_bytes_;
  }

  bool holds(const void* p, unsigned list) const noexcept {
    const cached_block* b = lists_[list].first;
    while (b != nullptr && b != p) b = b->following();
    return b != nullptr;
  }

  std::size_t held_bytes() const noexcept {
    return static_cast<std::size_t>(budget_bytes_ - left_bytes_);
  }

  std::size_t held_blocks() const noexcept {
    std::size_t n = 0;
    for (unsigned list = 1; list <= Lists; ++list) n += count_in(list);
    return n;
  }

  /// `is_block(p, list)` returns whether the region has such a block and considers it live.
  template <class Test>
  bool is_sound(Test is_block) const noexcept {
    std::size_t bytes = 0;
    for (unsigned list = 1; list <= Lists; ++list) {
      const unsigned count = count_in(list);
      unsigned n = 0;
      for (const cached_block* b = lists_[list].first; b != nullptr; b = b->following())
        if (++n > count || !is_block(b, list) || !b->is_marked()) return false;
      if (n != count) return false;
      bytes += n * cache_lists::usable_bytes(list);
    }
    return bytes == held_bytes() && left_bytes_ >= 0;
  }

 private:
  struct kept {
    cached_block* first = nullptr;
    std::uint32_t room = 0;  // for this many more blocks
  };

  static std::int32_t bytes_in(unsigned list) noexcept {
    return static_cast<std::int32_t>(cache_lists::usable_bytes(list));
  }

  unsigned count_in(unsigned list) const noexcept {
    return cache_lists::most_blocks(list) - lists_[list].room;
  }

  void count_out(unsigned list) noexcept {
    ++lists_[list].room;
    left_bytes_ += bytes_in(list);
  }

  template <class Give>
  void give_older_half(unsigned list, Give give) noexcept {
    cached_block* b = lists_[list].first;
    const unsigned stay = count_in(list) / 2;
    for (unsigned i = 1; i < stay; ++i) b = b->following();
    cached_block* given = b;
    if (stay == 0) {
      lists_[list].first = nullptr;
    } else {
      given = b->following();
      b->link_to(nullptr);
    }
    give_chain(given, list, give);
  }

  template <class Give>
  void give_chain(cached_block* b, unsigned list, Give give) noexcept {
    while (b != nullptr) {
      cached_block* following = b->following();
      count_out(list);
      b->clear_mark();
      give(static_cast<void*>(b), list);
      b = following;
    }
  }

  std::int32_t left_bytes_ = 0;  // the rest of the budget
  std::int32_t budget_bytes_ = 0;
  unsigned victim_ = 0;  // the list that gave blocks last
  kept lists_[Lists + 1];
};

}  // namespace heapsmith::detail
