// The pieces of a pool and the lists of their free blocks. All calls are O(1). For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "heapsmith/detail/check.hpp"
#include "heapsmith/detail/pool_resource/pool_classes.hpp"
#include "heapsmith/detail/probe.hpp"

namespace heapsmith::detail {

/// Lies in a free block, which is poisoned memory to tools.
struct free_block {
  probe::word next_word;

  free_block* next() const noexcept {
    return reinterpret_cast<free_block*>(static_cast<std::uintptr_t>(probe::load(next_word)));
  }
  void set_next(free_block* b) noexcept {
    probe::store(next_word, reinterpret_cast<std::uintptr_t>(b));
  }
};

/// The header of a piece. piece_layout says where it lies.
struct alignas(64) piece {
  free_block* free = nullptr;   // carved blocks that are not in use
  std::uint32_t countdown = 0;  // deallocations until piece_lists has something to do
  std::uint32_t uncarved = 0;   // blocks from `frontier` on; they were never in use
  char* frontier = nullptr;

  // On a cache line of its own: other threads read `owner` for each block that they free here.
  alignas(64) void* owner = nullptr;  // the share or engine whose lists the piece is in
  piece* previous = nullptr;          // in the ring of its class, or among the full
  piece* next = nullptr;
  std::uint32_t block_bytes = 0;
  std::uint32_t cls = 0;
  bool is_full = false;
};

/**
 * Each class has a ring of the pieces that have free blocks. One list has the full pieces.
 *
 * Blocks are taken only from the first piece of a ring, the current one. If it has no free block
 * left, it becomes full, and the next piece becomes current. A full piece joins the end of its ring
 * once a sixteenth of its blocks came back. So a program that replaces blocks in a random order
 * moves a piece once for many blocks, and leaves at most a sixteenth of its pieces' memory unused.
 * A piece that gets its last block back leaves its ring, unless it is current. So a program that
 * uses one block now and then does not take a piece each time.
 *
 * Pieces move between the lists if a countdown reaches 0. It is the only counter of a piece:
 * - current: blocks in use + `bias`, which does not reach 0;
 * - other pieces in a ring: blocks in use;
 * - full: blocks to be returned before it joins its ring.
 */
template <std::size_t Bytes>
class piece_lists {
 public:
  using layout = piece_layout<Bytes>;

  piece_lists() noexcept {
    for (piece*& first : current_) first = &none_;
  }
  piece_lists(const piece_lists&) = delete;
  piece_lists& operator=(const piece_lists&) = delete;

  static piece* piece_of(const void* block) noexcept {
    return reinterpret_cast<piece*>(layout::header(reinterpret_cast<std::uintptr_t>(block)));
  }

  /// Returns: a block from the list of the current piece; nullptr if the list is empty.
  [[nodiscard, gnu::always_inline]] void* take(unsigned cls) noexcept {
    piece* p = current_[cls];
    free_block* b = p->free;
    if (b == nullptr) [[unlikely]]
      return nullptr;
    p->free = b->next();
    ++p->countdown;
    return b;
  }

  /// Returns: a block that was not carved yet, or from another piece; nullptr if the class needs
  /// another piece.
  [[nodiscard, gnu::noinline]] void* take_slow(unsigned cls) noexcept {
    piece* p = current_[cls];
    if (p != &none_ && p->free == nullptr && p->uncarved == 0) {
      leave_ring(p);
      p->is_full = true;
      p->countdown = least_returned(p->cls);
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

  /// Requires: the block belongs to a piece in these lists.
  /// Returns: its piece if it is now empty and has left the lists; otherwise nullptr.
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

  /// Effects: makes the memory at `start` a piece for blocks of the class.
  void add(void* start, unsigned cls, void* owner) noexcept {
    auto* p = new (piece_of(start)) piece;
    p->owner = owner;
    p->cls = cls;
    p->block_bytes = static_cast<std::uint32_t>(pool_classes::bytes(cls));
    p->uncarved = layout::capacity(cls);
    p->frontier = static_cast<char*>(start) + layout::first_block(cls);
    join_ring(p);
  }

  /// Effects: removes the empty pieces, and calls f(piece) for each.
  template <class F>
  void remove_empty(F f) noexcept {
    for (unsigned cls = 0; cls < layout::classes; ++cls)
      if (piece* p = current_[cls]; p->countdown == bias) {
        leave_ring(p);
        f(p);
      }
  }

  /// Effects: removes all pieces, empty or not, and calls f(piece) for each.
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

  /// Returns: 0, or the number of the first invariant that does not hold.
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
      if (!p->is_full || p->uncarved != 0 || p->countdown == 0 ||
          p->countdown + free_blocks(p) != least_returned(p->cls))
        return 4;
    return 0;
  }

 private:
  static constexpr std::uint32_t bias = std::uint32_t{1} << 31;

  /// Returns: how many blocks a full piece gets back before it joins its ring.
  static std::uint32_t least_returned(std::uint32_t cls) noexcept {
    const std::uint32_t n = layout::capacity(cls) / 16;
    return n == 0 ? 1 : n;
  }

  /// Effects: lists some uncarved blocks: not many, because this touches their memory.
  static void carve(piece* p) noexcept {
    std::uint32_t n = p->block_bytes > 4096 ? 1 : 4096 / p->block_bytes;
    if (n > 64) n = 64;
    if (n > p->uncarved) n = p->uncarved;
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
    p->countdown = layout::capacity(p->cls) - least_returned(p->cls);
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
  piece none_;  // the current piece of classes without pieces; it has no blocks
};

}  // namespace heapsmith::detail
