// Arenas: blocks are cut off one after another and end all at once.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "heapsmith/detail/arena/arena_exhausted.hpp"
#include "heapsmith/detail/arena/arena_pieces.hpp"
#include "heapsmith/detail/arena/cursor.hpp"
#include "heapsmith/detail/arena/object_maker.hpp"
#include "heapsmith/detail/check.hpp"
#include "heapsmith/null_resource.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

template <resource Upstream>
class scope;

/// The statistics of an arena. Allocation counts nothing: arena::stats() walks the pieces.
struct arena_stats {
  std::size_t used_bytes;   ///< from the start of each piece to its last block's end, with padding
  std::size_t free_bytes;   ///< in the current piece
  std::size_t lost_bytes;   ///< unused, at the ends of the other pieces
  std::size_t spare_bytes;  ///< in the piece that is kept for later
  std::size_t held_bytes;   ///< in all pieces from upstream, with their headers
  std::size_t pieces;       ///< in use, the caller's buffer included
};

/// A position in an arena, to which arena::rewind() can return.
class arena_checkpoint {
  template <resource>
  friend class arena;
  arena_checkpoint(detail::arena_piece* piece, char* position) noexcept
      : piece_(piece), position_(position) {}

  detail::arena_piece* piece_;
  char* position_;
};

/**
 * A monotonic resource. It cuts blocks off a piece of memory, one after another, and ends all of
 * them at once: by reset(), release(), rewind(), or when it is destroyed.
 *
 * Pieces come from upstream, each as large as all earlier ones together. The first piece may be a
 * buffer of the caller's.
 *
 * Use a pool or the heap if single blocks must be freed. Open a `scope` on the arena if objects
 * have destructors.
 *
 * # Requires
 * `Upstream` is a resource. An upstream that can be copied is a handle, and the arena copies it.
 * The arena refers to any other upstream, which must outlive it. A buffer must outlive it, too.
 * Alignments are powers of two.
 *
 * # Objects
 * `make<T>(arguments…)`, `make_array<T>(count)`, `make_span<T>(count)` and `make_span(range)`
 * construct objects whose destructors do nothing; a scope makes the others. `try_make` and its
 * relatives return nullptr, or an empty span, instead of throwing arena_exhausted.
 *
 * # Errors
 * Throws arena_exhausted, a std::bad_alloc, if the current piece is full and upstream has no memory
 * or the limit is reached. The arena is then unchanged. Aborts if the arena is used while a scope
 * is open on it, or is rewound to a checkpoint that it does not have.
 *
 * Complexity: a block of known size costs seven instructions, one of them a branch. A new piece
 * costs one call of the upstream. reset(), release() and rewind() are linear in the pieces freed.
 * Thread safety: none; see concurrent_arena. Neither copies nor moves.
 * Source: arenas as in Hanson (1990); std::pmr::monotonic_buffer_resource.
 *
 * ```cpp
 * heapsmith::arena a;
 * for (const std::string& line : lines) copies.push_back(a.make_span(line));
 * a.reset();  // the memory serves the next round
 * ```
 */
template <resource Upstream = default_resource>
class arena : public detail::object_maker<arena<Upstream>> {
 public:
  /// Blocks need not be deallocated.
  static constexpr bool deallocate_is_trivial = true;

  /// Effects: takes nothing from upstream before the first allocation.
  arena() noexcept
    requires std::default_initializable<detail::upstream<Upstream>>
      : arena(nullptr, 0, detail::upstream<Upstream>()) {}
  explicit arena(Upstream& up) noexcept : arena(nullptr, 0, detail::upstream<Upstream>(up)) {}
  explicit arena(const Upstream& up) noexcept
    requires std::copy_constructible<Upstream>
      : arena(nullptr, 0, detail::upstream<Upstream>(up)) {}

  /// Effects: the first blocks lie in the buffer, which has no header.
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
    front_.require_no_child("destroyed");
    pieces_.release(front_);
  }

  /// Returns: a block of at least `bytes` bytes. Requires: `align` is a power of two.
  // Always inlined: GCC treats code that main() runs once as cold, and would emit a call.
  [[nodiscard, gnu::always_inline, gnu::returns_nonnull]] void*
  allocate(std::size_t bytes, std::size_t align = default_align) {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    return get<detail::on_failure::throws>(bytes, align);
  }

  /// As allocate(). Returns: nullptr if there is no memory.
  [[nodiscard, gnu::always_inline]] void* try_allocate(std::size_t bytes,
                                                       std::size_t align = default_align) noexcept {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    return get<detail::on_failure::returns_null>(bytes, align);
  }

  /// Effects: frees the memory of `p` if it is the last block; does nothing otherwise.
  void deallocate(void* p, std::size_t bytes, std::size_t /*align*/ = default_align) noexcept {
    front_.deallocate(p, bytes);
  }

  /// Effects: resizes the block in place. Any block can shrink; the last block can grow to the end
  /// of its piece.
  /// Returns: true if the block now has `new_bytes` bytes.
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t /*align*/ = default_align) noexcept {
    return front_.try_expand(p, old_bytes, new_bytes);
  }

  /// Effects: resizes the block in place, or copies it to a new block. The memory of the old block
  /// is then lost until the next reset, unless it was the last block.
  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = default_align) {
    if (try_expand(p, old_bytes, new_bytes)) return p;
    void* const moved = allocate(new_bytes, align);
    std::memcpy(moved, p, old_bytes < new_bytes ? old_bytes : new_bytes);
    deallocate(p, old_bytes, align);
    return moved;
  }

  /// Returns: the current position, for rewind().
  [[nodiscard]] arena_checkpoint checkpoint() const noexcept {
    front_.require_no_child("asked for a checkpoint");
    return {pieces_.current(), front_.position};
  }

  /**
   * Effects: ends all blocks that were allocated after the checkpoint was taken. Keeps the largest
   * piece that becomes empty, and gives the others upstream.
   * Requires: since then the arena was not reset, released, or rewound to an earlier checkpoint.
   * Errors: aborts if the checkpoint is another arena's, or lies ahead of the current position.
   *
   * ```cpp
   * const auto start = a.checkpoint();
   * parse_optional_part(a);
   * if (!accepted) a.rewind(start);
   * ```
   */
  void rewind(arena_checkpoint to) noexcept {
    front_.require_no_child("rewound");
    if (to.piece_ == pieces_.current() && to.position_ <= front_.position) [[likely]]
      front_.rewind(to.position_);
    else if (!pieces_.rewind(front_, to.piece_, to.position_))
      detail::fatal("arena at %p rewound to a checkpoint of another arena, or one that has ended",
                    static_cast<const void*>(this));
  }

  /// Effects: ends all blocks. Keeps the largest piece and gives the others upstream. A program
  /// that repeats the same work soon has one piece that is large enough for all of it.
  void reset() noexcept {
    front_.require_no_child("reset");
    pieces_.reset(front_);
  }

  /// Effects: ends all blocks and gives all pieces upstream. A buffer stays and is used again.
  void release() noexcept {
    front_.require_no_child("released");
    pieces_.release(front_);
  }

  /// Effects: makes room for `bytes` bytes, so that the next allocations do not call upstream.
  void reserve(std::size_t bytes) {
    front_.require_no_child("asked to reserve memory");
    if (bytes > remaining() && !pieces_.refill(front_, bytes, 1))
      detail::raise(arena_exhausted(bytes, 1, remaining()));
  }

  /// Effects: limits what the arena holds from upstream to `bytes` bytes. The arena keeps what it
  /// already holds.
  void set_limit(std::size_t bytes) noexcept { pieces_.set_limit(bytes); }
  /// Returns: the limit.
  [[nodiscard]] std::size_t limit() const noexcept { return pieces_.limit(); }

  /// Returns: the free bytes in the current piece.
  [[nodiscard]] std::size_t remaining() const noexcept { return front_.remaining(); }

  /// Returns: whether `p` points into a block, or into padding between blocks.
  /// Complexity: linear in the pieces.
  [[nodiscard]] bool owns(const void* p) const noexcept { return pieces_.owns(front_.active(), p); }

  /// Returns: the statistics of the arena. Complexity: linear in the pieces.
  [[nodiscard]] arena_stats stats() const noexcept {
    const detail::arena_usage u = pieces_.usage(front_.active());
    return {u.used_bytes,          u.free_bytes,         u.lost_bytes,
            pieces_.spare_bytes(), pieces_.held_bytes(), u.pieces};
  }

  [[nodiscard]] Upstream& upstream_resource() const noexcept { return pieces_.source(); }

  friend bool operator==(const arena& a, const arena& b) noexcept { return &a == &b; }

 private:
  friend class scope<Upstream>;
  friend class detail::object_maker<arena>;
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  arena(void* buffer, std::size_t bytes, const detail::upstream<Upstream>& up) noexcept
      : pieces_(front_, buffer, bytes, up) {}

  template <detail::on_failure Otherwise>
  [[gnu::always_inline]] void* get(std::size_t bytes,
                                   std::size_t align) noexcept(Otherwise ==
                                                               detail::on_failure::returns_null) {
    return front_.allocate(bytes, align, [=, this]() HS_INLINED {
      return pieces_.template allocate_slow<Otherwise>(front_, bytes, align);
    });
  }

  template <class T, detail::on_failure Otherwise, class Construct>
  [[gnu::always_inline]] T*
  build(std::size_t count,
        Construct construct) noexcept(Otherwise == detail::on_failure::returns_null &&
                                      std::is_nothrow_invocable_v<Construct&, T*>) {
    const std::size_t bytes = count * sizeof(T);
    return detail::construct_in<T, Otherwise>(front_, get<Otherwise>(bytes, alignof(T)), bytes,
                                              construct);
  }

  detail::cursor_holder front_{"arena"};
  detail::arena_pieces<Upstream> pieces_;
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
