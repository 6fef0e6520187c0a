// Small blocks kept for their next use: a list for each size, behind one brief lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/brief_lock.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/// Blocks of a region have 16k + 8 usable bytes, and list k keeps those. Functions on integers.
namespace cache_lists {

inline constexpr unsigned last = 64;  // the first is 1: the smallest block has 24 usable bytes

constexpr std::size_t usable_bytes(unsigned list) {
  return 16 * std::size_t{list} + 8;
}
inline constexpr std::size_t largest_bytes = usable_bytes(last);

/// Requires: bytes <= largest_bytes. Returns: the list whose blocks are the smallest that serve.
constexpr unsigned serving(std::size_t bytes) {
  return std::max(1u, static_cast<unsigned>((bytes + 7) / 16));
}

/// How many blocks go to or from the region at once: 2 KiB, within limits. One visit of the region
/// for 32 blocks is hardly felt; for the largest, 2 blocks halve the visits.
constexpr unsigned batch(unsigned list) {
  return std::clamp(128 / list, 2u, 32u);
}

}  // namespace cache_lists

/// A block that lies in a cache: a link and a mark, in memory that no tool lets a program touch.
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

  /// A block in use bears the mark only if the program writes it, or finds it uninitialised.
  bool is_marked() const noexcept { return probe::load(mark) == own_mark(); }
  void set_mark() noexcept { probe::store(mark, own_mark()); }
  void clear_mark() noexcept { probe::store(mark, 0); }

 private:
  std::uintptr_t own_mark() const noexcept {
    return reinterpret_cast<std::uintptr_t>(this) ^ 0x9e3779b97f4a7c15u;
  }
};

/**
 * The small blocks of the threads that meet in one slot. All but the lock itself needs the lock.
 *
 * Invariants, which is_sound() walks: a list is as long as its count says; held_bytes() is the sum
 * of the usable bytes of all blocks, and within the budget; every block bears its mark.
 */
class alignas(64) block_cache {
 public:
  brief_lock lock;

  /// Requires: the cache is empty.
  void set_budget(std::size_t bytes) noexcept { budget_bytes_ = static_cast<std::uint32_t>(bytes); }

  /// Returns: the block that was kept last, or nullptr.
  void* take(unsigned list) noexcept {
    kept& k = lists_[list];
    cached_block* b = k.first;
    if (b == nullptr) [[unlikely]]
      return nullptr;
    k.first = b->following();
    --k.count;
    held_bytes_ -= bytes_in(list);
    b->clear_mark();
    return b;
  }

  bool has_room(unsigned list) const noexcept {
    return lists_[list].count < 2 * cache_lists::batch(list) &&
           held_bytes_ + bytes_in(list) <= budget_bytes_;
  }

  /// Requires: has_room(list).
  void keep(void* p, unsigned list) noexcept {
    kept& k = lists_[list];
    cached_block* b = cached_block::at(p);
    b->link_to(k.first);
    b->set_mark();
    k.first = b;
    ++k.count;
    held_bytes_ += bytes_in(list);
  }

  /// Effects: calls `give(block, list)` for what makes room: the older half of a full list, which
  /// has left the processor's caches; over the budget, everything.
  template <class Give>
  void make_room(unsigned list, Give give) noexcept {
    const unsigned batch = cache_lists::batch(list);
    if (lists_[list].count < 2 * batch) return give_all(give);
    cached_block* last_kept = lists_[list].first;
    for (unsigned i = 1; i < batch; ++i) last_kept = last_kept->following();
    cached_block* first_given = last_kept->following();
    last_kept->link_to(nullptr);
    give_chain(first_given, list, give);
  }

  template <class Give>
  void give_all(Give give) noexcept {
    for (unsigned list = 1; held_bytes_ != 0 && list <= cache_lists::last; ++list) {
      cached_block* first = lists_[list].first;
      lists_[list].first = nullptr;
      give_chain(first, list, give);
    }
  }

  /// Effects: the blocks have ended, with all of their region's.
  void forget() noexcept {
    for (kept& k : lists_) k = {};
    held_bytes_ = 0;
  }

  bool holds(const void* p, unsigned list) const noexcept {
    const cached_block* b = lists_[list].first;
    while (b != nullptr && b != p) b = b->following();
    return b != nullptr;
  }

  std::size_t held_bytes() const noexcept { return held_bytes_; }

  std::size_t held_blocks() const noexcept {
    std::size_t n = 0;
    for (const kept& k : lists_) n += k.count;
    return n;
  }

  /// `is_block(p, list)` says whether the region has such a block, and takes it for live.
  template <class Test>
  bool is_sound(Test is_block) const noexcept {
    std::size_t bytes = 0;
    for (unsigned list = 0; list <= cache_lists::last; ++list) {
      const kept& k = lists_[list];
      unsigned n = 0;
      for (const cached_block* b = k.first; b != nullptr; b = b->following())
        if (++n > k.count || !is_block(b, list) || !b->is_marked()) return false;
      if (n != k.count) return false;
      bytes += n * cache_lists::usable_bytes(list);
    }
    return bytes == held_bytes_ && held_bytes_ <= budget_bytes_;
  }

 private:
  struct kept {
    cached_block* first = nullptr;
    std::uint32_t count = 0;
  };

  static std::uint32_t bytes_in(unsigned list) noexcept {
    return static_cast<std::uint32_t>(cache_lists::usable_bytes(list));
  }

  template <class Give>
  void give_chain(cached_block* b, unsigned list, Give give) noexcept {
    while (b != nullptr) {
      cached_block* following = b->following();
      --lists_[list].count;
      held_bytes_ -= bytes_in(list);
      b->clear_mark();
      give(static_cast<void*>(b), list);
      b = following;
    }
  }

  std::uint32_t held_bytes_ = 0;
  std::uint32_t budget_bytes_ = 0;
  kept lists_[cache_lists::last + 1];
};

}  // namespace heapsmith::detail
