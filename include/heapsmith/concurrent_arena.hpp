// An arena that many threads allocate from at once.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "heapsmith/arena.hpp"
#include "heapsmith/detail/arena/shared_cursor.hpp"

namespace heapsmith {

/**
 * A monotonic resource for many threads: each allocates from a share of the arena that few others
 * use, with one atomic exchange. Shares are cut off an `arena<Upstream>` under a lock, 32 KiB at a
 * time; the last one cut grows in place. Requests above 2 KiB go to the arena itself.
 *
 * A thread that finds no room, neither in its share nor in the arena, takes it from the others'
 * shares, so nothing up to 2 KiB is refused while there is room for it anywhere.
 *
 * # Requires
 * As for arena. Where each thread can have an arena of its own, that is cheaper still.
 *
 * Errors: arena_exhausted, as for arena.
 * Complexity: constant; one atomic operation on a line that as a rule only this thread uses.
 * Thread safety: allocate, try_allocate, deallocate, try_expand, owns, stats and set_limit by any
 * thread; construction, destruction, reset and release by one thread alone.
 * Source: the shares are the thread-local allocation buffers of garbage collectors (as in HotSpot);
 * docs/decisions/0012-concurrent-arena.md has what was measured.
 *
 * ```cpp
 * heapsmith::concurrent_arena symbols;          // filled by all threads of a compiler
 * void* p = symbols.allocate(sizeof(symbol), alignof(symbol));
 * ```
 */
template <resource Upstream = default_resource>
class concurrent_arena {
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
  /// Effects: the first blocks lie in the buffer.
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

  /// Effects: frees the memory of the last block of this thread's share, or of the arena if it is
  /// above 2 KiB; of another one nothing.
  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    if (bytes > largest_shared_bytes) {
      const std::lock_guard guard(lock_);
      return arena_.deallocate(p, bytes, align);
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    detail::probe::taken(p, bytes);
    my_cursor().move(begin + detail::cursor::occupied(bytes), begin);
  }

  /// Returns: true when the block is now `new_bytes` long: any block shrinks, the last one grows as
  /// far as there is room, but not from below 2 KiB to above.
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept {
    if (old_bytes > largest_shared_bytes) {
      const std::lock_guard guard(lock_);
      return arena_.try_expand(p, old_bytes, new_bytes, align);
    }
    // A block of a share stays one that deallocate() knows for one: it never ends the arena.
    if (new_bytes > largest_shared_bytes) return false;
    if (new_bytes < old_bytes)
      detail::probe::taken(static_cast<char*>(p) + new_bytes, old_bytes - new_bytes);
    const auto begin = reinterpret_cast<std::uintptr_t>(p);
    const bool is_last = my_cursor().move(begin + detail::cursor::occupied(old_bytes),
                                          begin + detail::cursor::occupied(new_bytes));
    if (is_last) detail::probe::given(p, new_bytes);
    return is_last || new_bytes <= old_bytes;
  }

  /// Effects: ends all blocks; as arena::reset. By one thread alone.
  void reset() noexcept {
    for (detail::shared_cursor& c : cursors_) c.close();
    arena_.reset();
  }

  /// Effects: ends all blocks and gives all memory upstream. By one thread alone.
  void release() noexcept {
    for (detail::shared_cursor& c : cursors_) c.close();
    arena_.release();
  }

  /// Effects: takes no more from upstream when it holds `bytes` bytes.
  void set_limit(std::size_t bytes) noexcept {
    const std::lock_guard guard(lock_);
    arena_.set_limit(bytes);
  }

  /// Whether `p` points into a block, or into a share of which blocks are still to be cut. Linear
  /// in the pieces, under the lock.
  [[nodiscard]] bool owns(const void* p) const noexcept {
    const std::lock_guard guard(lock_);
    return arena_.owns(p);
  }

  /// Returns: figures in which what is left of the shares is free. Threads that allocate meanwhile
  /// may be counted or not.
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

  [[gnu::noinline, gnu::cold]] void* allocate_slow(std::size_t bytes, std::size_t align) noexcept {
    const std::lock_guard guard(lock_);
    if (bytes > largest_shared_bytes) return arena_.try_allocate(bytes, align);
    detail::shared_cursor& mine = my_cursor();
    // Another thread of the same share may have renewed it meanwhile, or be emptying it again.
    do
      if (void* p = mine.try_allocate(bytes, align)) return p;
    while (align <= largest_shared_bytes && renew_locked(mine));
    if (void* p = arena_.try_allocate(bytes, align)) return p;
    for (detail::shared_cursor& other : cursors_)
      if (void* p = other.try_allocate(bytes, align)) return p;
    return nullptr;
  }

  /// Returns: whether the share has grown, or is another one.
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
