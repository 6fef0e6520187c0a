// Pools for blocks of all sizes, over any upstream: unsynchronized_pool and synchronized_pool.
#pragma once

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

/// The operations of a pool resource, over one of the engines.
template <class Pieces, std::size_t PieceBytes>
class pool_resource {
  using layout = piece_layout<PieceBytes>;

 public:
  /// Blocks of more bytes, or more alignment, come from upstream one by one.
  static constexpr std::size_t largest_block = layout::largest_block;
  static constexpr std::size_t min_alignment = 8;

  pool_resource(const pool_resource&) = delete;
  pool_resource& operator=(const pool_resource&) = delete;

  /// Requires: `align` is a power of two. Returns: a block of at least `bytes` bytes.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    return get<on_failure::throws>(bytes, align);
  }

  /// As allocate; nullptr instead of std::bad_alloc.
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    return get<on_failure::returns_null>(bytes, align);
  }

  /// Requires: `p` came from this pool with this `align`; `bytes` from what was asked to what was
  /// told.
  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    if (!layout::serves(bytes, align)) [[unlikely]]
      return pieces_.give_large(p, bytes, align);
    HS_REQUIRE(bytes <= block_bytes(p), "the block is smaller than its deallocation says");
    probe::freed(pieces_.owner(), p, block_bytes(p));
    pieces_.give(p);
  }

  /// Returns: true when the block is now `new_bytes` long, which it is up to the size of its class.
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept {
    if (!layout::serves(old_bytes, align))  // the place of its record stays, and so must its kind
      return !layout::serves(new_bytes, align) &&
             large_record::offset(new_bytes) == large_record::offset(old_bytes);
    if (new_bytes > block_bytes(p)) return false;
    probe::resized(pieces_.owner(), p, new_bytes, block_bytes(p));
    return true;
  }

  /// Returns: a block and how much of it may be used, which deallocate accepts too.
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
 * A resource that takes pieces of memory from its upstream and cuts each into blocks of one size.
 *
 * Blocks of up to `largest_block` bytes, with alignments up to that, come from pieces of
 * `PieceBytes` bytes; others come from upstream one by one, with 40 bytes more. A piece in which
 * nothing is in use any more goes back upstream, but for the piece of each size class that blocks
 * are being taken from, and 8 pieces for the next need of any class. `trim` gives those back too.
 *
 * # Requires
 * An `Upstream` that can be copied (default_resource, global_heap, resource_ref) is copied. Any
 * other is referred to and must outlive the pool. It is asked for pieces aligned to `PieceBytes`, a
 * power of two from 1 KiB on: over a small buffer, choose small pieces.
 * Blocks are deallocated with the bytes and the alignment they were asked with; debug builds check
 * what can be checked.
 *
 * # Operations
 * Those of a resource; try_expand, to the end of the block's size class; allocate_at_least, release
 * and stats; trim. Neither copies nor moves. The destructor releases.
 *
 * Errors: those of the upstream, after all that is empty went back to it; nothing has changed then.
 * Complexity: constant, and a call of the upstream now and then. release: the number of pieces.
 * Thread safety: none; see synchronized_pool.
 * Source: Bonwick's slabs (1994) with a list for each piece as in mimalloc (Leijen et al., 2019).
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
  /// Over an upstream that needs no object, such as default_resource.
  unsynchronized_pool() = default;

  /// Effects: takes the pieces from a copy of `upstream`.
  explicit unsynchronized_pool(const Upstream& upstream)
    requires detail::resource_handle<Upstream>
      : base(upstream) {}

  /// Effects: takes the pieces from `upstream`, which must outlive the pool.
  explicit unsynchronized_pool(Upstream& upstream)
    requires(!detail::resource_handle<Upstream>)
      : base(upstream) {}

  /// Walks everything, for tests. Returns: 0, or the number of the first invariant found broken.
  [[nodiscard]] int check() const noexcept { return this->pieces_.check(); }
};

/**
 * The same for any number of threads, which may deallocate each other's blocks.
 *
 * Each thread that allocates has a share of the pool, with pieces of its own: to allocate, and to
 * deallocate a block of its own pieces, takes no lock and no atomic operation. Blocks of others go
 * home in batches of 32, or one by one when the thread has never allocated here; the owner collects
 * them when it runs out. A thread that ends leaves its share to the next one that comes. Locks are
 * taken for whole pieces and large blocks, and for calls of the upstream, which therefore need not
 * be thread-safe itself.
 *
 * # Requires
 * As unsynchronized_pool. The upstream does not call this object. Construction, destruction and
 * release by one thread alone. Not in the child of a fork, unless nobody used a pool meanwhile.
 *
 * What a thread keeps: up to 31 blocks of another thread's on their way home; of its own share the
 * piece that each class is being served from, and what others returned while it does not allocate.
 *
 * Complexity: constant, amortised over the blocks that others returned.
 * Thread safety: any thread; blocks may be deallocated by another thread. stats and trim, too.
 * Source: messages to the owner as in snmalloc (Liétar et al., 2019), to whole shares instead of
 * allocators of the process.
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

  /// Over an upstream that needs no object, such as default_resource.
  synchronized_pool() = default;

  /// Effects: takes the pieces from a copy of `upstream`.
  explicit synchronized_pool(const Upstream& upstream)
    requires detail::resource_handle<Upstream>
      : base(upstream) {}

  /// Effects: takes the pieces from `upstream`, which must outlive the pool.
  explicit synchronized_pool(Upstream& upstream)
    requires(!detail::resource_handle<Upstream>)
      : base(upstream) {}
};

static_assert(resource<unsynchronized_pool<>> && expanding_resource<unsynchronized_pool<>> &&
              generous_resource<unsynchronized_pool<>> &&
              releasing_resource<unsynchronized_pool<>> &&
              measured_resource<unsynchronized_pool<>>);
static_assert(resource<synchronized_pool<>> && expanding_resource<synchronized_pool<>> &&
              generous_resource<synchronized_pool<>> && releasing_resource<synchronized_pool<>> &&
              measured_resource<synchronized_pool<>>);

}  // namespace heapsmith
