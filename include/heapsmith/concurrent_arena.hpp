// An arena that many threads allocate from at once.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "heapsmith/arena.hpp"
#include "heapsmith/detail/arena/object_maker.hpp"
#include "heapsmith/detail/arena/shared_cursor.hpp"

namespace heapsmith {

/**
 * A monotonic resource for many threads. Each thread allocates from a share of the arena that few
 * other threads use, with one atomic exchange. The arena cuts shares off an `arena<Upstream>` under
 * a lock, 32 KiB at a time. Requests above 2 KiB go to that arena directly.
 *
 * If neither a thread's share nor the arena has room, the thread allocates from the other shares.
 * So a request up to 2 KiB is served as long as any share has room for it.
 *
 * Use an arena for each thread if you can: it is cheaper.
 *
 * # Requires
 * As for arena.
 *
 * # Objects
 * make(), make_array(), make_span() and their `try_` forms, as for arena.
 *
 * Errors: throws arena_exhausted, as arena does.
 * Complexity: constant; one atomic operation, usually on a cache line that no other thread uses.
 * Thread safety: any thread may allocate, deallocate, make objects, and call try_expand, owns,
 * stats and set_limit. Construction, destruction, reset and release need exclusive access.
 * Source: the thread-local allocation buffers of garbage collectors, as in HotSpot.
 * docs/design/arenas.md has the measurements.
 *
 * ```cpp
 * heapsmith::concurrent_arena symbols;           // all threads of a compiler fill it
 * void* p = symbols.allocate(sizeof(symbol), alignof(symbol));
 * ```
 */
template <resource Upstream = default_resource>
class concurrent_arena : public detail::object_maker<concurrent_arena<Upstream>> {
 public:
  static constexpr bool deallocate_is_trivial = true;
  static constexpr bool is_thread_safe = true;

  concurrent_arena() noexcept
    requires std::default_initializable<detail::upstream<Upstream>>
  = default;
  explicit concurrent_arena(Upstream& up) noexcept : arena_(up) {}
  explicit concurrent_arena(const Upstream& up) noexcept
    requires std::copy_constructible<Upstream>
      : arena_(up) {}
  /// Effects: the first blocks lie in the buffer, which has no header.
  concurrent_arena(void* buffer, std::size_t bytes) noexcept
    requires std::default_initializable<detail::upstream<Upstream>>
      : arena_(buffer, bytes) {}
  concurrent_arena(void* buffer, std::size_t bytes, Upstream& up) noexcept
      : arena_(buffer, bytes, up) {}
  concurrent_arena(void* buffer, std::size_t bytes, const Upstream& up) noexcept
    requires std::copy_constructible<Upstream>
      : arena_(buffer, bytes, up) {}

  concurrent_arena(const concurrent_arena&) = delete;
  concurrent_arena& operator=(const concurrent_arena&) = delete;
  ~concurrent_arena() = default;

  [[nodiscard, gnu::returns_nonnull]] void* allocate(std::size_t bytes,
                                                     std::size_t align = default_align) {
    void* const p = try_allocate(bytes, align);
    if (p == nullptr) [[unlikely]]
      detail::raise(arena_exhausted(bytes, align, stats().free_bytes));
    return p;
  }

  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    if (bytes <= largest_shared_bytes) [[likely]]
      if (void* p = my_cursor().try_allocate(bytes, align)) [[likely]]
        return p;
    return allocate_slow(bytes, align);
  }

  /// Effects: frees the memory of `p` if it is the last block of this thread's share, or the last
  /// block of the arena and above 2 KiB; does nothing otherwise.
  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    if (bytes > largest_shared_bytes) {
      const std::lock_guard guard(lock_);
      return arena_.deallocate(p, bytes, align);
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    detail::probe::taken(p, bytes);
    my_cursor().move(begin + detail::cursor::occupied(bytes), begin);
  }

  /// Effects: resizes the block in place. Any block can shrink; the last block of a share can grow
  /// to 2 KiB.
  /// Returns: true if the block now has `new_bytes` bytes.
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept {
    if (old_bytes > largest_shared_bytes) {
      const std::lock_guard guard(lock_);
      return arena_.try_expand(p, old_bytes, new_bytes, align);
    }
    // deallocate() recognises blocks of shares by their size.
    if (new_bytes > largest_shared_bytes) return false;
    if (new_bytes < old_bytes)
      detail::probe::taken(static_cast<char*>(p) + new_bytes, old_bytes - new_bytes);
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    const bool is_last = my_cursor().move(begin + detail::cursor::occupied(old_bytes),
                                          begin + detail::cursor::occupied(new_bytes));
    if (is_last) detail::probe::given(p, new_bytes);
    return is_last || new_bytes <= old_bytes;
  }

  /// Effects: ends all blocks and keeps the largest piece, as arena::reset().
  /// Requires: no other thread uses this object.
  void reset() noexcept {
    for (detail::shared_cursor& c : cursors_) c.close();
    arena_.reset();
  }

  /// Effects: ends all blocks and gives all memory upstream.
  /// Requires: no other thread uses this object.
  void release() noexcept {
    for (detail::shared_cursor& c : cursors_) c.close();
    arena_.release();
  }

  /// Effects: limits what the arena holds from upstream to `bytes` bytes.
  void set_limit(std::size_t bytes) noexcept {
    const std::lock_guard guard(lock_);
    arena_.set_limit(bytes);
  }

  /// Returns: whether `p` points into a block or a share.
  /// Complexity: linear in the pieces, under the lock.
  [[nodiscard]] bool owns(const void* p) const noexcept {
    const std::lock_guard guard(lock_);
    return arena_.owns(p);
  }

  /// Returns: the statistics of the arena. The unused parts of shares count as free. Allocations
  /// that happen at the same time may be missing.
  [[nodiscard]] arena_stats stats() const noexcept {
    const std::lock_guard guard(lock_);
    arena_stats out = arena_.stats();
    for (const detail::shared_cursor& c : cursors_) {
      out.used_bytes -= c.free_bytes();
      out.free_bytes += c.free_bytes();
    }
    return out;
  }

  friend bool operator==(const concurrent_arena& a, const concurrent_arena& b) noexcept {
    return &a == &b;
  }

 private:
  friend class detail::object_maker<concurrent_arena>;
  static constexpr std::size_t default_align = alignof(std::max_align_t);
  static constexpr std::size_t share_step_bytes = 32 << 10;
  static constexpr std::size_t largest_shared_bytes = share_step_bytes / 16;
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::uint32_t shares = 32;

  detail::shared_cursor& my_cursor() noexcept {
    std::uint32_t number = detail::thread_number;
    if (number == 0) [[unlikely]]
      number = detail::number_thread();
    return cursors_[number % shares];
  }

  template <class T, detail::on_failure Otherwise, class Construct>
  T* build(std::size_t count,
           Construct construct) noexcept(Otherwise == detail::on_failure::returns_null &&
                                         std::is_nothrow_invocable_v<Construct&, T*>) {
    const std::size_t bytes = count * sizeof(T);
    void* const at = Otherwise == detail::on_failure::throws ? allocate(bytes, alignof(T))
                                                             : try_allocate(bytes, alignof(T));
    return detail::construct_in<T, Otherwise>(*this, at, bytes, construct);
  }

  [[gnu::noinline, gnu::cold]] void* allocate_slow(std::size_t bytes, std::size_t align) noexcept {
    const std::lock_guard guard(lock_);
    if (bytes > largest_shared_bytes) return arena_.try_allocate(bytes, align);
    detail::shared_cursor& mine = my_cursor();
    // Another thread of this share may have renewed it meanwhile, or may be using it up again.
    do
      if (void* p = mine.try_allocate(bytes, align)) return p;
    while (align <= largest_shared_bytes && renew_locked(mine));
    if (void* p = arena_.try_allocate(bytes, align)) return p;
    for (detail::shared_cursor& other : cursors_)
      if (void* p = other.try_allocate(bytes, align)) return p;
    return nullptr;
  }

  /// Effects: extends the share, or replaces it. Returns: false if the arena is full.
  bool renew_locked(detail::shared_cursor& c) noexcept {
    const std::size_t grown = c.share_bytes() + share_step_bytes;
    void* share = c.share();
    if (share != nullptr && arena_.try_expand(share, c.share_bytes(), grown)) {
      detail::probe::taken(c.share() + c.share_bytes(), share_step_bytes);
      c.extend(grown);
      return true;
    }
    if ((share = arena_.try_allocate(share_step_bytes, line_bytes)) == nullptr) return false;
    detail::probe::taken(share, share_step_bytes);
    c.open(share, share_step_bytes);
    return true;
  }

  std::array<detail::shared_cursor, shares> cursors_;
  mutable std::mutex lock_;
  arena<Upstream> arena_;  // under lock_
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
