// What `pool` and `soa_pool` share: allocation at the ends, deallocation anywhere, live rows.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "heapsmith/detail/check.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/pool/slot_engine.hpp"
#include "heapsmith/detail/pool/slot_iterator.hpp"
#include "heapsmith/detail/upstream.hpp"

namespace heapsmith::detail {

/// The operations that the layouts have in common; `pool` documents them.
template <class Layout, class Policy>
class slot_pool : protected slot_engine<Layout, Policy> {
 protected:
  using engine = slot_engine<Layout, Policy>;
  using books_type = typename engine::books_type;
  using engine::books_;
  using source = upstream<typename Policy::upstream_type>;

 public:
  using index_type = typename Policy::index_type;
  using policy_type = Policy;
  using layout_type = Layout;
  using value_type = typename Layout::value_type;
  using reference = typename Layout::reference;
  using const_reference = typename Layout::const_reference;
  using iterator = slot_iterator<books_type, false>;
  using const_iterator = slot_iterator<books_type, true>;

  static constexpr std::size_t max_size() noexcept { return books_type::slots_type::max_capacity; }

  slot_pool(source from, std::size_t capacity) : engine(from) {
    if (!books_.slots.start(capacity, true)) raise(std::bad_alloc());
  }
  slot_pool(slot_pool&&) noexcept = default;
  slot_pool& operator=(slot_pool&& other) noexcept {
    if (this != &other) {
      std::destroy_at(this);
      std::construct_at(this, std::move(other));
    }
    return *this;
  }
  ~slot_pool() {
    if constexpr (!Layout::ends_trivially) this->end_rows();
  }

  [[nodiscard]] std::size_t size() const noexcept { return books_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t capacity() const noexcept { return books_.slots.capacity(); }
  /// The window of indices in which all rows lie; `end_index` is one past it.
  [[nodiscard]] index_type begin_index() const noexcept { return books_.first; }
  [[nodiscard]] index_type end_index() const noexcept { return books_.last; }
  [[nodiscard]] bool contains(index_type i) const noexcept { return books_.is_live(i); }

  [[nodiscard]] reference operator[](index_type i) noexcept {
    HS_REQUIRE(contains(i), "the slot is not live");
    return Layout::row(books_.slots, i);
  }
  [[nodiscard]] const_reference operator[](index_type i) const noexcept {
    HS_REQUIRE(contains(i), "the slot is not live");
    return Layout::const_row(books_.slots, i);
  }
  /// As operator[], and stops when the slot is not live.
  [[nodiscard]] reference at(index_type i) noexcept {
    require_live(i);
    return Layout::row(books_.slots, i);
  }
  [[nodiscard]] const_reference at(index_type i) const noexcept {
    require_live(i);
    return Layout::const_row(books_.slots, i);
  }

  /// Effects: none that a program could see. The processor begins to load the row, or its first
  /// column, if `i` is a slot. Inlined by all means: a function that does no more than this is
  /// taken for one without effects.
  [[gnu::always_inline]] inline void prefetch(index_type i) const noexcept {
    __builtin_prefetch(books_.slots.address(i));
  }

  [[nodiscard]] iterator begin() noexcept { return {&books_, books_.next_live(books_.first)}; }
  [[nodiscard]] iterator end() noexcept { return {&books_, books_.last}; }
  [[nodiscard]] const_iterator begin() const noexcept {
    return {&books_, books_.next_live(books_.first)};
  }
  [[nodiscard]] const_iterator end() const noexcept { return {&books_, books_.last}; }

  /// Effects: constructs a row from the arguments, in the slot listed last or else at the end.
  template <class... Arguments>
  index_type allocate_end(Arguments&&... arguments) {
    return allocate<pool_end::end>(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  index_type allocate_begin(Arguments&&... arguments)
    requires(!Policy::is_one_ended)
  {
    return allocate<pool_end::begin>(std::forward<Arguments>(arguments)...);
  }
  /// As above; nothing when the pool is full, or when there is no memory for it to grow.
  template <class... Arguments>
  std::optional<index_type> try_allocate_end(Arguments&&... arguments) {
    return try_allocate<pool_end::end>(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  std::optional<index_type> try_allocate_begin(Arguments&&... arguments)
    requires(!Policy::is_one_ended)
  {
    return try_allocate<pool_end::begin>(std::forward<Arguments>(arguments)...);
  }

  /// Effects: ends the row of slot `i`. Without a free list the row stays until its end of the pool
  /// is deallocated, and nothing happens.
  void deallocate(index_type i) noexcept {
    require_live(i);
    if constexpr (Policy::reuses) this->end_row(i);
  }

  /// Effects: ends the last row. Requires: there is one; stops otherwise.
  void deallocate_end() noexcept {
    if (empty()) [[unlikely]]
      fatal("%s", "pool: deallocate_end() of an empty pool");
    this->end_last();
  }
  /// Effects: ends the first row. Requires: there is one; stops otherwise.
  void deallocate_begin() noexcept
    requires(!Policy::is_one_ended || Policy::is_ring)
  {
    if (empty()) [[unlikely]]
      fatal("%s", "pool: deallocate_begin() of an empty pool");
    this->end_first();
  }

  /// Effects: ends all rows and keeps the capacity; all of it can be allocated at the end.
  void clear_to_begin() noexcept { engine::clear(false); }
  /// The same, and all of it can be allocated at the beginning.
  void clear_to_end() noexcept
    requires(!Policy::is_one_ended)
  {
    engine::clear(true);
  }
  void clear() noexcept { engine::clear(false); }

  /// Effects: gives the memory back that no slot of the window needs, if that can be done.
  void shrink_to_fit() noexcept
    requires(!Policy::is_fixed && !Policy::has_handles)
  {
    books_.drop_strays();
    books_.slots.shrink_to(books_.first, books_.last);
  }

  /// Returns: 0, or the number of an invariant that does not hold. Complexity: linear.
  [[nodiscard]] int check() const noexcept { return books_.check(); }

 protected:
  template <pool_end End, class... Arguments>
  index_type allocate(Arguments&&... arguments) {
    index_type i;
    if (this->template place<End, true>(i, std::forward<Arguments>(arguments)...)) [[likely]]
      return i;
    this->template full<End>();
  }

  template <pool_end End, class... Arguments>
  std::optional<index_type> try_allocate(Arguments&&... arguments) {
    index_type i;
    if (this->template place<End, false>(i, std::forward<Arguments>(arguments)...)) return i;
    return std::nullopt;
  }

  void require_live(index_type i) const noexcept {
    if (!books_.is_live(i)) [[unlikely]]
      fatal("pool: slot %lld is not live: deallocated before, or never allocated",
            static_cast<long long>(i));
  }
};

}  // namespace heapsmith::detail
