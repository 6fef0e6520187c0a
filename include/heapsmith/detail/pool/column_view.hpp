// One column of a pool in columns, from its first live slot to its last.
#pragma once

#include <cstddef>
#include <span>  // and the traits of ranges
#include <type_traits>

namespace heapsmith {

/**
 * The cells of one field side by side: a contiguous range, which converts to std::span.
 *
 * It has no operator[], because a number between the brackets could be meant as the index of a row,
 * which is another number once rows were erased at the front. `pool.get<I>(i)` is the cell of row
 * `i`, and `data()[k]` the one at position `k`.
 */
template <class Field>
class column_view {
 public:
  using element_type = Field;
  using value_type = std::remove_cv_t<Field>;
  using iterator = typename std::span<Field>::iterator;

  constexpr column_view() = default;
  constexpr column_view(Field* first, std::size_t count) noexcept : cells_(first, count) {}

  [[nodiscard]] constexpr Field* data() const noexcept { return cells_.data(); }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return cells_.size(); }
  [[nodiscard]] constexpr std::size_t size_bytes() const noexcept { return cells_.size_bytes(); }
  [[nodiscard]] constexpr bool empty() const noexcept { return cells_.empty(); }
  [[nodiscard]] constexpr iterator begin() const noexcept { return cells_.begin(); }
  [[nodiscard]] constexpr iterator end() const noexcept { return cells_.end(); }
  /// Returns: the cell of the first live row, or of the last one. Requires: not empty().
  [[nodiscard]] constexpr Field& front() const noexcept { return cells_.front(); }
  [[nodiscard]] constexpr Field& back() const noexcept { return cells_.back(); }

  constexpr operator std::span<Field>() const noexcept { return cells_; }
  constexpr operator std::span<const Field>() const noexcept
    requires(!std::is_const_v<Field>)
  {
    return cells_;
  }

  template <class Number>
  Field& operator[](Number) const = delete;

 private:
  std::span<Field> cells_;
};

}  // namespace heapsmith

template <class Field>
inline constexpr bool std::ranges::enable_view<heapsmith::column_view<Field>> = true;
template <class Field>
inline constexpr bool std::ranges::enable_borrowed_range<heapsmith::column_view<Field>> = true;
