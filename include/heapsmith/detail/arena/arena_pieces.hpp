// The pieces an arena took from its upstream, oldest last, and how they come and go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "heapsmith/detail/arena/arena_exhausted.hpp"
#include "heapsmith/detail/arena/bump.hpp"
#include "heapsmith/detail/arena/cursor.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/upstream.hpp"
#include "heapsmith/detail/without_memory.hpp"

namespace heapsmith::detail {

/// Where a piece lies; in a piece from upstream, its first bytes.
struct alignas(16) arena_piece {
  arena_piece* older = nullptr;
  char* begin = nullptr;   ///< of what can be handed out
  char* filled = nullptr;  ///< where bumping stopped when a newer piece was taken
  char* end = nullptr;

  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(end - reinterpret_cast<const char*>(this));
  }
};

/// Where the memory of an arena lies; all of it is derived from the positions in the pieces.
struct arena_figures {
  std::size_t used_bytes = 0;
  std::size_t free_bytes = 0;
  std::size_t lost_bytes = 0;
  std::size_t pieces = 0;
};

/**
 * The pieces in use, the current one first. The last in the list is the caller's buffer, which is
 * empty when there is none, so the list never is.
 *
 * One piece more may be spare: the largest of those that a rewind or reset has emptied. It serves
 * the next need, so that a loop around the end of a piece does not call upstream in every round.
 */
template <class Upstream>
class arena_pieces {
 public:
  static constexpr std::size_t first_piece_bytes = 4096;

  arena_pieces(cursor& c, void* buffer, std::size_t bytes, const upstream<Upstream>& up) noexcept
      : upstream_(up) {
    buffer_.begin = buffer_.filled = static_cast<char*>(buffer);
    buffer_.end = buffer_.begin + bytes;
    probe::taken(buffer, bytes);
    make_current(c, &buffer_);
  }
  arena_pieces(const arena_pieces&) = delete;
  arena_pieces& operator=(const arena_pieces&) = delete;
  ~arena_pieces() {
    probe::given(buffer_.begin, static_cast<std::size_t>(buffer_.end - buffer_.begin));
  }

  arena_piece* current() const noexcept { return current_; }
  std::size_t held_bytes() const noexcept { return held_; }
  std::size_t spare_bytes() const noexcept { return spare_ == nullptr ? 0 : spare_->bytes(); }
  std::size_t limit() const noexcept { return limit_; }
  void set_limit(std::size_t bytes) noexcept { limit_ = bytes; }
  Upstream& source() const noexcept { return *upstream_; }

  /// Effects: the cursor points into a piece with room for the block, the spare or a new one.
  /// Returns: false, and only the spare may be gone, when there is none.
  [[gnu::noinline, gnu::cold]] bool refill(cursor& c, std::size_t bytes,
                                           std::size_t align) noexcept {
    const std::size_t need = piece_for(sizeof(arena_piece), alignof(arena_piece), bytes, align);
    if (need == 0) return false;
    arena_piece* next = nullptr;
    if (spare_bytes() >= need)
      next = std::exchange(spare_, nullptr);
    else if ((next = take(need)) == nullptr)
      return false;
    push(c, next);
    return true;
  }

  /// A block for the holder of the cursor, which found no room for it.
  template <without_memory Otherwise>
  [[gnu::noinline, gnu::cold]] void*
  allocate_slow(cursor_holder& h, std::size_t bytes,
                std::size_t align) noexcept(Otherwise == without_memory::is_null) {
    h.require_no_child("a block was asked of");
    if (refill(h, bytes, align)) return h.allocate(bytes, align, [] { return nullptr; });
    if constexpr (Otherwise == without_memory::throws)
      raise(arena_exhausted(bytes, align, h.remaining()));
    return nullptr;
  }

  /// Effects: pieces newer than `to` go, but for the spare; the cursor is at `position` of `to`.
  /// Returns: false, and nothing has changed, when `to` is not in use or was not filled so far.
  [[gnu::noinline, gnu::cold]] bool rewind(cursor& c, arena_piece* to, char* position) noexcept {
    current_->filled = c.position;
    const arena_piece* found = current_;
    while (found != nullptr && found != to) found = found->older;
    if (found == nullptr || position < to->begin || position > to->filled) return false;
    while (current_ != to) spare_or_give(std::exchange(current_, current_->older));
    probe::taken(position, static_cast<std::size_t>(to->filled - position));
    to->filled = position;
    make_current(c, to);
    return true;
  }

  /// Effects: the spare, if there is one, is the current piece. So a scope that opens on an arena
  /// without pieces, and later ones, come back to the same piece when they close.
  void use_spare(cursor& c) noexcept {
    if (spare_ != nullptr) push(c, std::exchange(spare_, nullptr));
  }

  /// Effects: all blocks end; of the pieces, the largest stays as the spare.
  void reset(cursor& c) noexcept { rewind(c, &buffer_, buffer_.begin); }

  /// Effects: all blocks end; all pieces are upstream's again.
  void release(cursor& c) noexcept {
    reset(c);
    give_spare();
    peak_ = 0;
  }

  [[nodiscard]] bool owns(const cursor& c, const void* p) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    const char* filled = c.position;
    for (const arena_piece* i = current_; i != nullptr;
         i = i->older, filled = i ? i->filled : nullptr)
      if (reinterpret_cast<std::uintptr_t>(i->begin) <= address &&
          address < reinterpret_cast<std::uintptr_t>(filled))
        return true;
    return false;
  }

  arena_figures figures(const cursor& c) const noexcept {
    arena_figures out;
    out.free_bytes = static_cast<std::size_t>(c.end - c.position);
    out.used_bytes = static_cast<std::size_t>(c.position - current_->begin);
    out.pieces = current_->begin != nullptr;
    for (const arena_piece* i = current_->older; i != nullptr && i->begin != nullptr;
         i = i->older) {
      out.used_bytes += static_cast<std::size_t>(i->filled - i->begin);
      out.lost_bytes += static_cast<std::size_t>(i->end - i->filled);
      ++out.pieces;
    }
    return out;
  }

 private:
  void push(cursor& c, arena_piece* p) noexcept {
    current_->filled = c.position;
    p->older = current_;
    make_current(c, p);
  }

  void make_current(cursor& c, arena_piece* p) noexcept {
    current_ = p;
    c.position = p->filled;
    c.end = p->end;
  }

  /// A piece of at least `need` bytes: as long as growth wants, or as the limit and upstream allow.
  arena_piece* take(std::size_t need) noexcept {
    give_spare();  // it is too short, and the next one will be longer
    if (need > limit_ || held_ > limit_ - need) return nullptr;
    std::size_t bytes = next_piece(need, peak_, first_piece_bytes);
    if (bytes > limit_ - held_) bytes = limit_ - held_;
    void* memory = upstream_->try_allocate(bytes, alignof(arena_piece));
    while (memory == nullptr && bytes > need) {
      bytes = bytes / 2 > need ? bytes / 2 : need;
      memory = upstream_->try_allocate(bytes, alignof(arena_piece));
    }
    if (memory == nullptr) return nullptr;
    held_ += bytes;
    if (peak_ < held_) peak_ = held_;
    arena_piece* const taken = ::new (memory) arena_piece;
    taken->begin = taken->filled = reinterpret_cast<char*>(taken + 1);
    taken->end = static_cast<char*>(memory) + bytes;
    probe::taken(taken->begin, bytes - sizeof(arena_piece));
    return taken;
  }

  void spare_or_give(arena_piece* p) noexcept {
    probe::taken(p->begin, static_cast<std::size_t>(p->filled - p->begin));
    p->filled = p->begin;
    if (p->bytes() > spare_bytes()) p = std::exchange(spare_, p);
    if (p != nullptr) give(p);
  }

  void give_spare() noexcept {
    if (spare_ != nullptr) give(std::exchange(spare_, nullptr));
  }

  void give(arena_piece* p) noexcept {
    const std::size_t bytes = p->bytes();
    held_ -= bytes;
    probe::given(p->begin, bytes - sizeof(arena_piece));
    upstream_->deallocate(p, bytes, alignof(arena_piece));
  }

  arena_piece* current_ = nullptr;
  arena_piece* spare_ = nullptr;
  std::size_t held_ = 0;  ///< bytes of pieces from upstream, the spare's too
  std::size_t peak_ = 0;  ///< the most that was held since the last release
  std::size_t limit_ = SIZE_MAX;
  [[no_unique_address]] upstream<Upstream> upstream_;
  arena_piece buffer_;
};

}  // namespace heapsmith::detail
