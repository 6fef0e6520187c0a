// Arenas: blocks are cut off one after another and end all at once.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "heapsmith/detail/arena/arena_exhausted.hpp"
#include "heapsmith/detail/arena/arena_pieces.hpp"
#include "heapsmith/detail/arena/cursor.hpp"
#include "heapsmith/detail/check.hpp"
#include "heapsmith/null_resource.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

template <resource Upstream>
class scope;

/// Where an arena's memory is. A figure is found by walking the pieces; nothing is counted when
/// blocks are allocated.
struct arena_stats {
  std::size_t used_bytes;   ///< from the start of a piece to the last block's end, with padding
  std::size_t free_bytes;   ///< in the current piece
  std::size_t lost_bytes;   ///< at the ends of the pieces before it
  std::size_t spare_bytes;  ///< in the piece kept for the next need
  std::size_t held_bytes;   ///< taken from upstream and not given back, headers included
  std::size_t pieces;       ///< in use; the caller's buffer is one
};

/// A place in an arena, for arena::rewind.
class arena_checkpoint {
  template <resource>
  friend class arena;
  arena_checkpoint(detail::arena_piece* piece, char* position) noexcept
      : piece_(piece), position_(position) {}

  detail::arena_piece* piece_;
  char* position_;
};

/**
 * A monotonic resource: blocks are bumped off a piece of memory, upwards, and end all at once, by
 * reset(), release(), rewind() or with the arena. Pieces come from upstream, each as long as all
 * before it, or begin with a buffer of the caller's.
 *
 * Where single blocks must come back, use a pool or the heap; where objects have destructors, open
 * a `scope` on the arena.
 *
 * # Requires
 * `Upstream` is a resource. One that can be copied is a handle and is copied; any other is referred
 * to and outlives the arena. A buffer outlives it too. Alignments are powers of two.
 *
 * Errors: arena_exhausted, a std::bad_alloc, when neither the current piece nor upstream within the
 * limit has room; nothing has changed then. To use an arena while a scope is open on it, or to
 * rewind to a checkpoint that has gone, stops the process with a line that says so.
 * Complexity: seven instructions, one of them a branch, for a block of known size; a new piece is
 * one call upstream. reset(), release() and rewind() are linear in the pieces that go.
 * Thread safety: none; see concurrent_arena. It neither copies nor moves.
 * Source: arenas as in Hanson (1990); std::pmr::monotonic_buffer_resource; upward bumping with
 * alignment on each call.
 *
 * ```cpp
 * heapsmith::arena a;
 * for (const std::string& line : lines) {
 *   char* copy = static_cast<char*>(a.allocate(line.size() + 1, 1));
 *   copies.push_back(std::strcpy(copy, line.c_str()));
 * }
 * a.reset();  // the memory stays for the next round
 * ```
 */
template <resource Upstream = default_resource>
class arena {
 public:
  /// Blocks may be left alone: what ends them is the end of all.
  static constexpr bool deallocate_is_trivial = true;

  /// Effects: takes nothing from upstream before it is needed.
  arena() noexcept
    requires std::default_initializable<detail::upstream<Upstream>>
      : arena(nullptr, 0, detail::upstream<Upstream>()) {}
  explicit arena(Upstream& up) noexcept : arena(nullptr, 0, detail::upstream<Upstream>(up)) {}
  explicit arena(const Upstream& up) noexcept
    requires std::copy_constructible<Upstream>
      : arena(nullptr, 0, detail::upstream<Upstream>(up)) {}

  /// Effects: the first blocks lie in the buffer, all of which can be used.
  arena(void* buffer, std::size_t bytes) noexcept
    requires std::default_initializable<detail::upstream<Upstream>>
      : arena(buffer, bytes, detail::upstream<Upstream>()) {}
  arena(void* buffer, std::size_t bytes, Upstream& up) noexcept
      : arena(buffer, bytes, detail::upstream<Upstream>(up)) {}
  arena(void* buffer, std::size_t bytes, const Upstream& up) noexcept
    requires std::copy_constructible<Upstream>
      : arena(buffer, bytes, detail::upstream<Upstream>(up)) {}

  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  ~arena() {
    front_.require_no_child("the life ended of");
    pieces_.release(front_);
  }

  // Always inlined, for GCC takes what main() calls once for cold, and would call.
  [[nodiscard, gnu::always_inline, gnu::returns_nonnull]] void*
  allocate(std::size_t bytes, std::size_t align = default_align) {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    return get<detail::without_memory::throws>(bytes, align);
  }

  [[nodiscard, gnu::always_inline]] void* try_allocate(std::size_t bytes,
                                                       std::size_t align = default_align) noexcept {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    return get<detail::without_memory::is_null>(bytes, align);
  }

  /// Effects: frees the memory of the last block, `p`; of another one nothing.
  void deallocate(void* p, std::size_t bytes, std::size_t /*align*/ = default_align) noexcept {
    front_.deallocate(p, bytes);
  }

  /// Returns: true when the block is now `new_bytes` long: any block shrinks, the last one grows as
  /// long as its piece has room.
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t /*align*/ = default_align) noexcept {
    return front_.try_expand(p, old_bytes, new_bytes);
  }

  /// Effects: resizes in place, or copies to a new block. The old one is lost then.
  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = default_align) {
    if (try_expand(p, old_bytes, new_bytes)) return p;
    void* const moved = allocate(new_bytes, align);
    std::memcpy(moved, p, old_bytes < new_bytes ? old_bytes : new_bytes);
    deallocate(p, old_bytes, align);
    return moved;
  }

  /// Returns: the place up to which rewind() frees.
  [[nodiscard]] arena_checkpoint checkpoint() const noexcept {
    front_.require_no_child("a checkpoint was taken of");
    return {pieces_.current(), front_.position};
  }

  /**
   * Effects: ends the blocks allocated since the checkpoint was taken. Pieces taken since go
   * upstream, but for the largest, which is kept for the next need.
   * Requires: the arena has not been reset, released, or rewound to an earlier checkpoint since.
   * Errors: a checkpoint of another arena, or one that lies ahead, stops the process.
   *
   * ```cpp
   * const auto start = a.checkpoint();
   * parse_optional_part(a);
   * if (!accepted) a.rewind(start);
   * ```
   */
  void rewind(arena_checkpoint to) noexcept {
    front_.require_no_child("a checkpoint was rewound on");
    if (to.piece_ == pieces_.current() && to.position_ <= front_.position) [[likely]]
      front_.rewind(to.position_);
    else if (!pieces_.rewind(front_, to.piece_, to.position_))
      detail::fatal("rewound arena at %p to a checkpoint that it does not have (any more)",
                    static_cast<const void*>(this));
  }

  /// Effects: ends all blocks. The largest piece stays, so that rounds alike settle on one piece
  /// and call upstream no more.
  void reset() noexcept {
    front_.require_no_child("reset was called on");
    pieces_.reset(front_);
  }

  /// Effects: ends all blocks and gives all pieces upstream. A buffer is used again.
  void release() noexcept {
    front_.require_no_child("release was called on");
    pieces_.release(front_);
  }

  /// Effects: the next `bytes` bytes are allocated without a call upstream.
  void reserve(std::size_t bytes) {
    front_.require_no_child("reserve was called on");
    if (bytes > remaining() && !pieces_.refill(front_, bytes, 1))
      detail::raise(arena_exhausted(bytes, 1, remaining()));
  }

  /// Effects: takes no more from upstream when it holds `bytes` bytes; what it holds, stays.
  void set_limit(std::size_t bytes) noexcept { pieces_.set_limit(bytes); }
  [[nodiscard]] std::size_t limit() const noexcept { return pieces_.limit(); }

  /// Bytes left in the current piece.
  [[nodiscard]] std::size_t remaining() const noexcept { return front_.remaining(); }

  /// Whether `p` points into a block, or padding between blocks. Linear in the pieces.
  [[nodiscard]] bool owns(const void* p) const noexcept { return pieces_.owns(front_.active(), p); }

  /// Linear in the pieces.
  [[nodiscard]] arena_stats stats() const noexcept {
    const detail::arena_figures f = pieces_.figures(front_.active());
    return {f.used_bytes,          f.free_bytes,         f.lost_bytes,
            pieces_.spare_bytes(), pieces_.held_bytes(), f.pieces};
  }

  [[nodiscard]] Upstream& upstream_resource() const noexcept { return pieces_.source(); }

  friend bool operator==(const arena& a, const arena& b) noexcept { return &a == &b; }

 private:
  friend class scope<Upstream>;
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  arena(void* buffer, std::size_t bytes, const detail::upstream<Upstream>& up) noexcept
      : pieces_(front_, buffer, bytes, up) {}

  template <detail::without_memory Otherwise>
  [[gnu::always_inline]] void* get(std::size_t bytes, std::size_t align) {
    return front_.allocate(bytes, align, [=, this]() HS_INLINED {
      return pieces_.template allocate_slow<Otherwise>(front_, bytes, align);
    });
  }

  detail::cursor_holder front_{"arena"};
  detail::arena_pieces<Upstream> pieces_;
};

}  // namespace heapsmith
