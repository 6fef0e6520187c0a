// Goes over the live slots of a typed pool in the order of their indices.
#pragma once

#include <compare>
#include <cstddef>
#include <span>  // and the tags of iterators
#include <type_traits>
#include <utility>

#include "heapsmith/detail/address.hpp"
#include "heapsmith/detail/check.hpp"

namespace heapsmith::detail {

/**
 * Random access if every slot of the window is live, else bidirectional. A row of columns is not an
 * lvalue: its iterator is that for C++20's algorithms, and an input iterator for the older ones.
 */
template <class Books, bool IsConst>
class slot_iterator {
  using layout = typename Books::layout_type;
  using index = typename Books::index;
  static constexpr bool is_dense = !Books::reuses;
  struct no_step {
    no_step() = delete;
  };
  /// The type of distances: no number converts to it if the iterator has no random access.
  using step = std::conditional_t<is_dense, std::ptrdiff_t, no_step>;

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
    HS_REQUIRE(books_->is_live(at_), "the iterator is at no live row of its pool");
    if constexpr (IsConst)
      return layout::const_row(books_->slots, at_);
    else
      return layout::row(books_->slots, at_);
  }
  auto operator->() const noexcept
    requires std::is_reference_v<reference>
  {
    return address_of(**this);
  }
  reference operator[](step n) const noexcept { return *(*this + n); }

  slot_iterator& operator++() noexcept {
    HS_REQUIRE(books_->is_live(at_), "the iterator is at no live row of its pool");
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

  slot_iterator& operator+=(step n) noexcept {
    at_ = static_cast<index>(at_ + static_cast<index>(n));
    return *this;
  }
  slot_iterator& operator-=(step n) noexcept { return *this += -n; }
  friend slot_iterator operator+(slot_iterator it, step n) noexcept { return it += n; }
  friend slot_iterator operator+(step n, slot_iterator it) noexcept { return it += n; }
  friend slot_iterator operator-(slot_iterator it, step n) noexcept { return it -= n; }
  friend step operator-(const slot_iterator& a, const slot_iterator& b) noexcept {
    return static_cast<difference_type>(a.distance()) - static_cast<difference_type>(b.distance());
  }

  friend bool operator==(const slot_iterator& a, const slot_iterator& b) noexcept {
    return a.at_ == b.at_;
  }
  friend auto operator<=>(const slot_iterator& a, const slot_iterator& b) noexcept {
    return a.distance() <=> b.distance();
  }

  /// Effects: moves the fields out. The row stays, with moved-from fields.
  friend decltype(auto) iter_move(const slot_iterator& it) noexcept {
    if constexpr (std::is_reference_v<reference>)
      return std::move(*it);
    else
      return (*it).take();
  }
  friend void iter_swap(const slot_iterator& a, const slot_iterator& b) noexcept
    requires(!IsConst)
  {
    using std::swap;
    swap(*a, *b);
  }

 private:
  /// From the beginning of the window, because indices may wrap around.
  std::size_t distance() const noexcept {
    return books_ == nullptr ? 0 : static_cast<index>(at_ - books_->first);
  }

  const Books* books_ = nullptr;
  index at_ = 0;
};

}  // namespace heapsmith::detail
