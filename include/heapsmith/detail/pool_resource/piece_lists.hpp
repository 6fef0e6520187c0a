// The pieces of a pool and the lists of their free blocks: O(1) in every call, for one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "heapsmith/detail/check.hpp"
#include "heapsmith/detail/pool_resource/pool_classes.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/// Lies in a block that nobody uses. Tools take what is there for poisoned.
struct free_block {
  probe::word next_word;

  free_block* next() const noexcept {
    return reinterpret_cast<free_block*>(static_cast<std::uintptr_t>(probe::load(next_word)));
  }
  void set_next(free_block* b) noexcept {
    probe::store(next_word, reinterpret_cast<std::uintptr_t>(b));
  }
};

/// The header of a piece; see piece_layout for where it lies.
struct alignas(64) piece {
  free_block* free = nullptr;   // carved, and not in use
  std::uint32_t countdown = 0;  // deallocations until piece_lists has something to do
  std::uint32_t uncarved = 0;   // blocks from `frontier` on, which were never in use
  char* frontier = nullptr;

  // A line of its own: other threads read `owner` for each block of theirs that they free here.
  alignas(64) void* owner = nullptr;  // whose lists the piece is in
  piece* previous = nullptr;          // in the ring of its class, or among the full
  piece* next = nullptr;
  std::uint32_t block_bytes = 0;
  std::uint32_t cls = 0;
  bool is_full = false;
};

/**
 * For each class the ring of pieces that have free blocks, and one list of those that have none.
 *
 * Blocks are taken from a ring's first piece alone, the current one. When it has none left it
 * becomes full, and the next one current. A full piece that gets a block back joins the end of its
 * ring, so that it gathers more of them before its turn comes. A piece that gets its last block
 * back leaves its ring, but the current one stays: a program that has one block, now and then, does
 * not pay for a piece each time.
 *
 * All of that happens when a countdown ends, which is the only thing that is counted:
 * - current: blocks in use + `bias`, so it does not end;
 * - in a ring: blocks in use;
 * - full: 1.
 */
template <std::size_t Bytes>
class piece_lists {
 public:
  using layout = piece_layout<Bytes>;

  piece_lists() noexcept { std::fill_n(current_, layout::classes, &none_); }
  piece_lists(const piece_lists&) = delete;
  piece_lists& operator=(const piece_lists&) = delete;

  static piece* piece_of(const void* block) noexcept {
    return reinterpret_cast<piece*>(layout::header(reinterpret_cast<std::uintptr_t>(block)));
  }

  /// Returns: a block, or nullptr when the current piece has none at hand.
  [[nodiscard, gnu::always_inline]] void* take(unsigned cls) noexcept {
    piece* p = current_[cls];
    free_block* b = p->free;
    if (b == nullptr) [[unlikely]]
      return nullptr;
    p->free = b->next();
    ++p->countdown;
    return b;
  }

  /// Returns: a block from what is not carved yet, or from another piece; nullptr when the class
  /// needs a further piece.
  [[nodiscard, gnu::noinline]] void* take_slow(unsigned cls) noexcept {
    piece* p = current_[cls];
    if (p != &none_ && p->free == nullptr && p->uncarved == 0) {
      leave_ring(p);
      p->is_full = true;
      p->countdown = 1;
      p->previous = nullptr;
      p->next = full_;
      if (full_ != nullptr) full_->previous = p;
      full_ = p;
      p = current_[cls];
    }
    if (p == &none_) return nullptr;
    if (p->free == nullptr) carve(p);
    return take(cls);
  }

  /// Requires: the block is of a piece in these lists.
  /// Returns: its piece if nothing in it is in use any more and it has left the lists, or nullptr.
  [[nodiscard, gnu::always_inline]] piece* give(void* block) noexcept {
    piece* p = piece_of(block);
    auto* b = static_cast<free_block*>(block);
    HS_REQUIRE(b != p->free, "the block is freed twice in a row");
    HS_REQUIRE(is_start_of_block(p, block), "no block starts here");
    b->set_next(p->free);
    p->free = b;
    if (--p->countdown == 0) [[unlikely]]
      return give_slow(p);
    return nullptr;
  }

  /// Effects: makes a piece of the memory at `start`, for blocks of the class.
  void add(void* start, unsigned cls, void* owner) noexcept {
    auto* p = new (piece_of(start)) piece;
    p->owner = owner;
    p->cls = cls;
    p->block_bytes = static_cast<std::uint32_t>(pool_classes::bytes(cls));
    p->uncarved = layout::capacity(cls);
    p->frontier = static_cast<char*>(start) + layout::first_block(cls);
    join_ring(p);
  }

  /// Effects: takes current pieces out in which nothing is in use, and calls f(piece) with each.
  template <class F>
  void remove_empty(F f) noexcept {
    for (unsigned cls = 0; cls < layout::classes; ++cls)
      if (piece* p = current_[cls]; p->countdown == bias) {
        leave_ring(p);
        f(p);
      }
  }

  /// Effects: takes all pieces out and calls f(piece) with each, whatever is in use.
  template <class F>
  void remove_all(F f) noexcept {
    for (unsigned cls = 0; cls < layout::classes; ++cls)
      while (current_[cls] != &none_) {
        piece* p = current_[cls];
        leave_ring(p);
        f(p);
      }
    while (full_ != nullptr) f(std::exchange(full_, full_->next));
  }

  /// Walks everything. Returns: 0, or the number of the first invariant found broken.
  int check() const noexcept {
    for (unsigned cls = 0; cls < layout::classes; ++cls) {
      const piece* p = current_[cls];
      if (p == &none_) continue;
      do {
        if (p->cls != cls || p->is_full || p->next->previous != p) return 1;
        const std::uint32_t used = p->countdown - (p == current_[cls] ? bias : 0);
        if (p != current_[cls] && used == 0) return 2;
        if (used + p->uncarved + free_blocks(p) != layout::capacity(cls)) return 3;
        p = p->next;
      } while (p != current_[cls]);
    }
    for (const piece* p = full_; p != nullptr; p = p->next)
      if (!p->is_full || p->countdown != 1 || p->free != nullptr || p->uncarved != 0) return 4;
    return 0;
  }

 private:
  static constexpr std::uint32_t bias = std::uint32_t{1} << 31;

  /// Links some of the untouched blocks, few enough that memory is not touched long before its use.
  static void carve(piece* p) noexcept {
    const std::uint32_t n = std::min({p->uncarved, 64u, std::max(1u, 4096 / p->block_bytes)});
    char* at = p->frontier + (n - 1) * p->block_bytes;
    for (std::uint32_t i = 0; i < n; ++i, at -= p->block_bytes) {
      auto* b = reinterpret_cast<free_block*>(at);
      b->set_next(p->free);
      p->free = b;
    }
    p->frontier += n * p->block_bytes;
    p->uncarved -= n;
  }

  [[gnu::noinline]] piece* give_slow(piece* p) noexcept {
    if (!p->is_full) {
      leave_ring(p);
      return p;
    }
    p->is_full = false;
    p->countdown = layout::capacity(p->cls) - 1;
    if (p->next != nullptr) p->next->previous = p->previous;
    (p->previous != nullptr ? p->previous->next : full_) = p->next;
    join_ring(p);
    return nullptr;
  }

  void join_ring(piece* p) noexcept {
    piece*& first = current_[p->cls];
    if (first == &none_) {
      p->previous = p->next = first = p;
      p->countdown += bias;
      return;
    }
    p->next = first;
    p->previous = first->previous;
    p->previous->next = p;
    first->previous = p;
  }

  void leave_ring(piece* p) noexcept {
    piece*& first = current_[p->cls];
    if (first == p) {
      first = p->next == p ? &none_ : p->next;
      if (first != &none_) first->countdown += bias;
    }
    p->next->previous = p->previous;
    p->previous->next = p->next;
  }

  static bool is_start_of_block(const piece* p, const void* at) noexcept {
    const auto block = reinterpret_cast<std::uintptr_t>(at);
    const std::uintptr_t offset = block - layout::start(block) - layout::first_block(p->cls);
    return offset % p->block_bytes == 0 && offset / p->block_bytes < layout::capacity(p->cls);
  }

  static std::uint32_t free_blocks(const piece* p) noexcept {
    std::uint32_t n = 0;
    for (const free_block* b = p->free; b != nullptr; b = b->next()) {
      if (piece_of(b) != p || n == layout::capacity(p->cls)) return ~0u;
      ++n;
    }
    return n;
  }

  piece* current_[layout::classes];
  piece* full_ = nullptr;
  piece none_;  // the current one of classes that have no piece: nothing in it is ever free
};

}  // namespace heapsmith::detail
