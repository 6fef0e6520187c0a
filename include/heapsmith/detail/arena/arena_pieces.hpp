// The pieces that an arena takes from its upstream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "heapsmith/detail/arena/arena_exhausted.hpp"
#include "heapsmith/detail/arena/bump.hpp"
#include "heapsmith/detail/arena/cursor.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/on_failure.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith::detail {

/// Describes a piece. It is the header of each piece from upstream.
struct alignas(16) arena_piece {
  arena_piece* older = nullptr;
  char* begin = nullptr;   ///< of the memory for blocks
  char* filled = nullptr;  ///< the position when a newer piece was taken
  char* end = nullptr;

  std::size_t bytes() const noexcept {
    return static_cast<std::size_t>(end - reinterpret_cast<const char*>(this));
  }
};

/// How the memory of an arena is used, derived from the positions in the pieces.
struct arena_usage {
  std::size_t used_bytes = 0;
  std::size_t free_bytes = 0;
  std::size_t lost_bytes = 0;
  std::size_t pieces = 0;
};

/**
 * The list of pieces in use, the current one first. The last one is the caller's buffer, or an
 * empty piece if there is no buffer, so the list is never empty.
 *
 * One more piece may be the spare: the largest piece that a rewind or reset has emptied. It is the
 * next piece to be used, so that a loop around the end of a piece does not call upstream in every
 * round.
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

  /// Effects: makes the spare or a new piece current, which has room for the block.
  /// Returns: false if there is no memory. Nothing has changed then, but the spare may be gone.
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

  /// Returns: a block from another piece, for a holder whose cursor has no room for it.
  template <on_failure Otherwise>
  [[gnu::noinline, gnu::cold]] void*
  allocate_slow(cursor_holder& h, std::size_t bytes,
                std::size_t align) noexcept(Otherwise == on_failure::returns_null) {
    h.require_no_child("used");
    if (refill(h, bytes, align)) return h.allocate(bytes, align, [] { return nullptr; });
    if constexpr (Otherwise == on_failure::throws)
      raise(arena_exhausted(bytes, align, h.remaining()));
    return nullptr;
  }

  /// Effects: moves the cursor to `position` in `to`. Gives newer pieces upstream, except the
  /// spare. Returns: false if `to` is not in use or was not filled that far. Nothing has changed
  /// then.
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

  /// Effects: makes the spare the current piece, if there is one. So the scopes on an arena without
  /// pieces return to the same piece when they close.
  void use_spare(cursor& c) noexcept {
    if (spare_ != nullptr) push(c, std::exchange(spare_, nullptr));
  }

  /// Effects: ends all blocks. The largest piece becomes the spare.
  void reset(cursor& c) noexcept { rewind(c, &buffer_, buffer_.begin); }

  /// Effects: ends all blocks and gives all pieces upstream.
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

  arena_usage usage(const cursor& c) const noexcept {
    arena_usage out;
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

  /// Returns: a piece of at least `need` bytes, or nullptr. It is as large as next_piece() says, if
  /// the limit and upstream allow it.
  arena_piece* take(std::size_t need) noexcept {
    give_spare();  // it is too small, and the next piece will be larger
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
  std::size_t held_ = 0;  ///< bytes of pieces from upstream, the spare included
  std::size_t peak_ = 0;  ///< the maximum of held_ since the last release
  std::size_t limit_ = SIZE_MAX;
  [[no_unique_address]] upstream<Upstream> upstream_;
  arena_piece buffer_;
};

}  // namespace heapsmith::detail
