// A typed pool inside its own object: no upstream, no allocation, usable in constant expressions.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/check.hpp"
#include "heapsmith/detail/fatal.hpp"

namespace heapsmith {

/**
 * `N` slots for rows of type `T`, in the object itself. Any row can be erased, and the slot erased
 * last is the next one used.
 *
 * Indices are as narrow as `N` allows. A free slot holds the index of the next one.
 *
 * Errors: aborts if a row is added to a full pool, or if a row that is not live is erased. In a
 * constant expression both are compile errors.
 * Constructors and destructors of rows may use the pool. A row is live from the return of its
 * constructor until its destructor is called. While its constructor or destructor runs, the row is
 * not live, but its slot is in use. The pool aborts if such code destroys the pool. clear() also
 * ends rows that destructors add.
 * Complexity: constant; `clear` and `for_each` are linear in `N`.
 * Thread safety: that of a standard container. It neither copies nor moves: rows have addresses.
 *
 * ```cpp
 * heapsmith::inline_pool<message, 16> messages;
 * const auto i = messages.emplace(text);
 * messages.erase(i);
 * ```
 */
template <class T, std::size_t N>
class inline_pool {
  static_assert(N > 0 && N < std::numeric_limits<std::uint32_t>::max());

 public:
  using value_type = T;
  using index_type =
      std::conditional_t<(N < 256), std::uint8_t,
                         std::conditional_t<(N < 65536), std::uint16_t, std::uint32_t>>;

  constexpr inline_pool() noexcept = default;
  inline_pool(const inline_pool&) = delete;
  inline_pool& operator=(const inline_pool&) = delete;
  constexpr ~inline_pool() {
    clear();
    if (size_ != 0) [[unlikely]]
      detail::fatal("inline_pool: destroyed by a constructor or destructor of one of its %u rows",
                    static_cast<unsigned>(size_));
  }

  [[nodiscard]] static constexpr std::size_t capacity() noexcept { return N; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr bool full() const noexcept { return size_ == N; }
  [[nodiscard]] constexpr bool contains(index_type i) const noexcept {
    return i < touched_ && live_[i / 64] >> (i % 64) & 1;
  }

  /// Effects: constructs a row from the arguments. Returns: its index.
  template <class... Arguments>
  constexpr index_type emplace(Arguments&&... arguments) {
    if (full()) [[unlikely]]
      detail::fatal("inline_pool: full: all %zu slots are in use", N);
    const bool is_fresh = free_ == none;
    const index_type i = is_fresh ? touched_ : free_;
    // The slot is taken first: the constructor may add rows.
    if (is_fresh)
      ++touched_;
    else
      free_ = slots_[i].next;
    ++size_;
    give_back guard{*this, i};
    std::construct_at(std::addressof(slots_[i].row), std::forward<Arguments>(arguments)...);
    guard.is_needed = false;
    live_[i / 64] |= std::uint64_t{1} << (i % 64);
    return i;
  }
  /// As emplace. Returns: std::nullopt if the pool is full.
  template <class... Arguments>
  constexpr std::optional<index_type> try_emplace(Arguments&&... arguments) {
    if (full()) return std::nullopt;
    return emplace(std::forward<Arguments>(arguments)...);
  }

  /// Effects: ends the row. Aborts if it is not live.
  constexpr void erase(index_type i) noexcept {
    require_live(i);
    live_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    std::destroy_at(std::addressof(slots_[i].row));
    free_slot(i);
  }

  [[nodiscard]] constexpr T& operator[](index_type i) noexcept {
    HS_REQUIRE(contains(i), "the slot is not live");
    return slots_[i].row;
  }
  [[nodiscard]] constexpr const T& operator[](index_type i) const noexcept {
    HS_REQUIRE(contains(i), "the slot is not live");
    return slots_[i].row;
  }
  /// Returns: the row. Aborts if it is not live; operator[] checks that in debug builds only.
  [[nodiscard]] constexpr T& at(index_type i) noexcept {
    require_live(i);
    return slots_[i].row;
  }
  [[nodiscard]] constexpr const T& at(index_type i) const noexcept {
    require_live(i);
    return slots_[i].row;
  }

  /// Effects: calls `f` with each row, in the order of their indices. `f` may add and erase rows:
  /// it is called with added ones that come later in this order.
  template <std::invocable<T&> F>
  constexpr void for_each(F&& f) {
    for (std::size_t i = 0; i < touched_; ++i)
      if (contains(static_cast<index_type>(i))) f(slots_[i].row);
  }

  /// Effects: ends all rows.
  constexpr void clear() noexcept {
    const bool is_idle = size_ == live_rows();
    if (!std::is_trivially_destructible_v<T> || !is_idle)
      while (live_rows() != 0)
        for (std::size_t i = 0; i < touched_; ++i)
          if (contains(static_cast<index_type>(i))) erase(static_cast<index_type>(i));
    if (!is_idle) return;  // the slots of rows that are being made or ended stay in use
    live_ = {};
    free_ = none;
    touched_ = 0;
    size_ = 0;
  }

 private:
  static constexpr index_type none = std::numeric_limits<index_type>::max();

  union slot {
    constexpr slot() noexcept : next(none) {}
    constexpr slot(const slot&) = delete;
    constexpr ~slot() {}
    index_type next;
    T row;
  };

  /// Gives the slot back if the constructor of its row throws.
  struct give_back {
    inline_pool& pool;
    index_type i;
    bool is_needed = true;
    constexpr ~give_back() {
      if (is_needed) pool.free_slot(i);
    }
  };

  constexpr void free_slot(index_type i) noexcept {
    std::construct_at(std::addressof(slots_[i].next), free_);
    free_ = i;
    --size_;
  }

  constexpr std::size_t live_rows() const noexcept {
    std::size_t n = 0;
    for (const std::uint64_t word : live_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }

  constexpr void require_live(index_type i) const noexcept {
    if (!contains(i)) [[unlikely]]
      detail::fatal("inline_pool: slot %u is not live: it was erased, or never held a row",
                    static_cast<unsigned>(i));
  }

  std::array<slot, N> slots_;
  std::array<std::uint64_t, (N + 63) / 64> live_ = {};
  index_type free_ = none;  // the slot deallocated last, or none
  index_type touched_ = 0;  // slots from here on have never held a row
  index_type size_ = 0;
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
