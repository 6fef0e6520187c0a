// Goes over the live slots of a typed pool, in the order of their indices.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace heapsmith::detail {

/**
 * Random access where every slot of the window lives, else bidirectional. A row of columns is not
 * an lvalue: then the iterator is one for C++20's algorithms, and an input iterator for the old.
 */
template <class Books, bool IsConst>
class slot_iterator {
  using layout = typename Books::layout_type;
  using index = typename Books::index;
  static constexpr bool is_dense = !Books::reuses;

 public:
  using value_type = typename layout::value_type;
  using reference =
      std::conditional_t<IsConst, typename layout::const_reference, typename layout::reference>;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::conditional_t<is_dense, std::random_access_iterator_tag,
                                              std::bidirectional_iterator_tag>;
  using iterator_category =
      std::conditional_t<std::is_reference_v<reference>, iterator_concept, std::input_iterator_tag>;

  slot_iterator() = default;
  slot_iterator(const Books* books, index at) noexcept : books_(books), at_(at) {}
  operator slot_iterator<Books, true>() const noexcept
    requires(!IsConst)
  {
    return {books_, at_};
  }

  /// Returns: the index of the slot.
  [[nodiscard]] index index_of() const noexcept { return at_; }

  reference operator*() const noexcept {
    if constexpr (IsConst)
      return layout::const_row(books_->slots, at_);
    else
      return layout::row(books_->slots, at_);
  }
  auto operator->() const noexcept
    requires std::is_reference_v<reference>
  {
    return &**this;
  }
  reference operator[](difference_type n) const noexcept
    requires is_dense
  {
    return *(*this + n);
  }

  slot_iterator& operator++() noexcept {
    at_ = books_->next_live(static_cast<index>(at_ + 1));
    return *this;
  }
  slot_iterator operator++(int) noexcept {
    slot_iterator before = *this;
    ++*this;
    return before;
  }
  slot_iterator& operator--() noexcept {
    at_ = books_->live_before(at_);
    return *this;
  }
  slot_iterator operator--(int) noexcept {
    slot_iterator before = *this;
    --*this;
    return before;
  }

  slot_iterator& operator+=(difference_type n) noexcept
    requires is_dense
  {
    at_ = static_cast<index>(at_ + static_cast<index>(n));
    return *this;
  }
  slot_iterator& operator-=(difference_type n) noexcept
    requires is_dense
  {
    return *this += -n;
  }
  friend slot_iterator operator+(slot_iterator it, difference_type n) noexcept
    requires is_dense
  {
    return it += n;
  }
  friend slot_iterator operator+(difference_type n, slot_iterator it) noexcept
    requires is_dense
  {
    return it += n;
  }
  friend slot_iterator operator-(slot_iterator it, difference_type n) noexcept
    requires is_dense
  {
    return it -= n;
  }
  friend difference_type operator-(const slot_iterator& a, const slot_iterator& b) noexcept
    requires is_dense
  {
    return static_cast<difference_type>(a.distance()) - static_cast<difference_type>(b.distance());
  }

  friend bool operator==(const slot_iterator& a, const slot_iterator& b) noexcept {
    return a.at_ == b.at_;
  }
  friend auto operator<=>(const slot_iterator& a, const slot_iterator& b) noexcept
    requires is_dense
  {
    return a.distance() <=> b.distance();
  }

  /// The fields move out; the row stays, with what moving leaves in them.
  friend decltype(auto) iter_move(const slot_iterator& it) noexcept {
    if constexpr (std::is_reference_v<reference>)
      return std::move(*it);
    else
      return layout::taken_out(*it);
  }
  friend void iter_swap(const slot_iterator& a, const slot_iterator& b) noexcept
    requires(!IsConst)
  {
    using std::swap;
    if constexpr (std::is_reference_v<reference>)
      swap(*a, *b);
    else
      layout::swapped(*a, *b);
  }

 private:
  /// From the beginning of the window, as indices may wrap.
  std::size_t distance() const noexcept {
    return books_ == nullptr ? 0 : static_cast<index>(at_ - books_->first);
  }

  const Books* books_ = nullptr;
  index at_ = 0;
};

}  // namespace heapsmith::detail
