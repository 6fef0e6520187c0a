// Pools for blocks of all sizes on any upstream: unsynchronized_pool and synchronized_pool.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>

#include "heapsmith/detail/check.hpp"
#include "heapsmith/detail/pool_resource/owned_pieces.hpp"
#include "heapsmith/detail/pool_resource/piece_lists.hpp"
#include "heapsmith/detail/pool_resource/piece_source.hpp"
#include "heapsmith/detail/pool_resource/shared_pieces.hpp"
#include "heapsmith/detail/probe.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

namespace detail {

/// The operations of pool resources, on one of the two engines.
template <class Pieces, std::size_t PieceBytes>
class pool_resource {
  using layout = piece_layout<PieceBytes>;

 public:
  /// Blocks with a larger size or alignment come from upstream one by one.
  static constexpr std::size_t largest_block = layout::largest_block;
  static constexpr std::size_t min_alignment = 8;

  pool_resource(const pool_resource&) = delete;
  pool_resource& operator=(const pool_resource&) = delete;

  /// Requires: `align` is a power of two. Returns: a block of at least `bytes` bytes.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    return get<on_failure::throws>(bytes, align);
  }

  /// As allocate(). Returns: nullptr if there is no memory.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    return get<on_failure::returns_null>(bytes, align);
  }

  /// Effects: frees the block at `p`; does nothing if `p` is nullptr.
  /// Requires: `p` came from this pool with this `align`. `bytes` is between the requested and the
  /// usable size.
  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    if (p == nullptr) [[unlikely]]
      return;
    if (!layout::serves(bytes, align)) [[unlikely]]
      return pieces_.give_large(p, bytes, align);
    HS_REQUIRE(pieces_.owns(p), "the block belongs to another pool");
    HS_REQUIRE(bytes <= block_bytes(p), "the block is smaller than the size passed with it");
    probe::freed(pieces_.owner(), p, block_bytes(p));
    pieces_.give(p);
  }

  /// Effects: resizes the block within its size class.
  /// Returns: true if the block now has `new_bytes` bytes.
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept {
    if (!layout::serves(old_bytes, align))  // it stays large, and its record stays where it is
      return !layout::serves(new_bytes, align) &&
             large_record::offset(new_bytes) == large_record::offset(old_bytes);
    if (new_bytes > block_bytes(p)) return false;
    probe::resized(pieces_.owner(), p, new_bytes, block_bytes(p));
    return true;
  }

  /// Returns: a block and its usable size, which deallocate() accepts, too.
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = default_align) {
    void* p = allocate(bytes, align);
    if (!layout::serves(bytes, align)) return {p, bytes};
    probe::resized(pieces_.owner(), p, block_bytes(p), block_bytes(p));
    return {p, block_bytes(p)};
  }

  /// Effects: ends all blocks. Keeps all pieces for later blocks, and gives large blocks upstream.
  void reset() noexcept { pieces_.reset(); }

  /// Effects: ends all blocks and gives all memory upstream.
  void release() noexcept { pieces_.release(); }

  /// Effects: gives empty pieces upstream.
  void trim() noexcept { pieces_.trim(); }

  /// Returns: the statistics of the pool.
  [[nodiscard]] pool_stats stats() const noexcept { return pieces_.stats(); }

 protected:
  pool_resource() = default;
  template <class U>
  explicit pool_resource(U& u) noexcept : pieces_(u) {}
  ~pool_resource() = default;

  Pieces pieces_;

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  static std::size_t block_bytes(const void* p) noexcept {
    return piece_lists<PieceBytes>::piece_of(p)->block_bytes;
  }

  template <on_failure Otherwise>
  void* get(std::size_t bytes, std::size_t align) noexcept(Otherwise == on_failure::returns_null) {
    if (!layout::serves(bytes, align)) [[unlikely]]
      return pieces_.template take_large<Otherwise>(bytes, align);
    const unsigned cls = pool_classes::of(bytes, align);
    void* p = pieces_.take(cls);
    if (p == nullptr) [[unlikely]] {
      p = pieces_.template take_slow<Otherwise>(cls);
      if (p == nullptr) return nullptr;
    }
    probe::allocated(pieces_.owner(), p, bytes, pool_classes::bytes(cls));
    return p;
  }
};

}  // namespace detail

/**
 * A resource that takes pieces of memory from its upstream, and cuts each piece into blocks of one
 * size class.
 *
 * A block whose size and alignment are at most `largest_block` comes from a piece of `PieceBytes`
 * bytes. Other blocks come from upstream one by one, and take 40 bytes more. The pool gives empty
 * pieces upstream, except the current piece of each size class and 8 spare pieces for any class.
 * trim() gives those upstream, too.
 *
 * # Requires
 * `PieceBytes` is a power of two of at least 1 KiB, and the upstream serves that alignment. Choose
 * small pieces for a small buffer.
 * An upstream that can be copied (default_resource, global_heap, resource_ref) is copied. The pool
 * refers to any other upstream, which must outlive it.
 * Blocks are deallocated with their size and alignment. Debug and hardened builds abort if they
 * detect a block that is deallocated twice in a row or with too large a size, a block of another
 * pool with pieces of the same size, or a pointer into the interior of a block.
 *
 * # Operations
 * Those of a resource; try_expand, allocate_at_least, reset, release, stats, trim. The destructor
 * releases. Neither copies nor moves.
 *
 * Errors: those of the upstream. Before it fails, the pool gives all empty pieces upstream and
 * tries again. A failed call changes nothing else.
 * Complexity: constant, apart from calls of the upstream. reset(), release() and trim() are linear
 * in the pieces.
 * Thread safety: none; see synchronized_pool.
 * Source: Bonwick's slabs (1994) with a free list for each piece, as in mimalloc (Leijen et al.,
 * 2019).
 *
 * ```cpp
 * heapsmith::unsynchronized_pool pool;           // over operator new
 * void* p = pool.allocate(100, 8);
 * pool.deallocate(p, 100, 8);
 *
 * heapsmith::region region(buffer, sizeof buffer);
 * heapsmith::unsynchronized_pool<heapsmith::region, 4096> small(region);
 * ```
 */
template <resource Upstream = default_resource, std::size_t PieceBytes = 32 * 1024>
class unsynchronized_pool
    : public detail::pool_resource<detail::owned_pieces<Upstream, PieceBytes>, PieceBytes> {
  using base = detail::pool_resource<detail::owned_pieces<Upstream, PieceBytes>, PieceBytes>;

 public:
  /// Effects: uses a default-constructed upstream, such as default_resource.
  unsynchronized_pool() = default;

  /// Effects: takes pieces from a copy of `upstream`.
  explicit unsynchronized_pool(const Upstream& upstream)
    requires detail::resource_handle<Upstream>
      : base(upstream) {}

  /// Effects: takes pieces from `upstream`, which must outlive the pool.
  explicit unsynchronized_pool(Upstream& upstream)
    requires(!detail::resource_handle<Upstream>)
      : base(upstream) {}

  /// For tests. Returns: 0, or the number of the first invariant that does not hold.
  [[nodiscard]] int check() const noexcept { return this->pieces_.check(); }
};

/**
 * An unsynchronized_pool for many threads, which may deallocate each other's blocks.
 *
 * Each thread that allocates has a share of the pool, with pieces of its own. Allocation takes no
 * lock and no atomic operation, and neither does deallocation of a block from the thread's own
 * pieces. Blocks of other shares return to their share in batches of 32, or one by one if the
 * thread has no share. A thread collects returned blocks when its pieces run out. A thread that
 * ends leaves its share to the next thread that needs one.
 *
 * Locks protect whole pieces, large blocks and calls of the upstream, so the upstream need not be
 * thread-safe.
 *
 * # Requires
 * As unsynchronized_pool. The upstream does not use this object. Construction, destruction, reset
 * and release need exclusive access. The child of a fork may use the pool only if no thread was
 * using a pool when the process forked.
 *
 * # Memory that threads keep
 * Up to 31 blocks of another share, until the batch is full; the current piece of each size class;
 * and blocks that other threads returned, until the thread allocates again.
 *
 * Complexity: constant, amortised over returned blocks.
 * Thread safety: any thread may call all operations, except those that need exclusive access, and
 * may deallocate blocks of other threads.
 * Source: messages to the owner as in snmalloc (Liétar et al., 2019), but to shares of one pool.
 *
 * ```cpp
 * heapsmith::synchronized_pool pool;
 * void* p = pool.allocate(100, 8);               // by one thread
 * pool.deallocate(p, 100, 8);                    // by another
 * ```
 */
template <resource Upstream = default_resource, std::size_t PieceBytes = 32 * 1024>
class synchronized_pool
    : public detail::pool_resource<detail::shared_pieces<Upstream, PieceBytes>, PieceBytes> {
  using base = detail::pool_resource<detail::shared_pieces<Upstream, PieceBytes>, PieceBytes>;

 public:
  static constexpr bool is_thread_safe = true;

  /// Effects: uses a default-constructed upstream, such as default_resource.
  synchronized_pool() = default;

  /// Effects: takes pieces from a copy of `upstream`.
  explicit synchronized_pool(const Upstream& upstream)
    requires detail::resource_handle<Upstream>
      : base(upstream) {}

  /// Effects: takes pieces from `upstream`, which must outlive the pool.
  explicit synchronized_pool(Upstream& upstream)
    requires(!detail::resource_handle<Upstream>)
      : base(upstream) {}
};

static_assert(resource<unsynchronized_pool<>> && expanding_resource<unsynchronized_pool<>> &&
              generous_resource<unsynchronized_pool<>> &&
              releasing_resource<unsynchronized_pool<>> &&
              resettable_resource<unsynchronized_pool<>> &&
              measured_resource<unsynchronized_pool<>>);
static_assert(resource<synchronized_pool<>> && expanding_resource<synchronized_pool<>> &&
              generous_resource<synchronized_pool<>> && releasing_resource<synchronized_pool<>> &&
              resettable_resource<synchronized_pool<>> && measured_resource<synchronized_pool<>>);

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
