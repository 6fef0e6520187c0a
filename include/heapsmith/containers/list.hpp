// Persistent lists: cells in a pool, which any number of lists share.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "heapsmith/detail/containers/nodes.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace heapsmith::detail {

/// The number of no cell, which ends each list.
template <class Index>
struct list_cells {
  static constexpr Index none = std::numeric_limits<Index>::max();
};

}  // namespace heapsmith::detail

namespace heapsmith {

/**
 * Singly linked lists whose cells lie in one pool. A list is identified by its first cell.
 *
 * `cons(value, tail)` makes a list that shares all of `tail`, which does not change: lists are
 * persistent. One list, the `root`, belongs to the object; push_front and pop_front work on it.
 *
 * `Pool` is any kind of typed pool: pool, fixed_pool, soa_fixed_pool, … In a pool in columns, `T`
 * is split into its fields, and references are rows of references.
 *
 * Requires: a cell is popped only if no other list uses it; `collect` ends all cells that no list
 * uses. In a deque pool, the memory of a popped cell is reused only if it was the last one added.
 * Errors: those of the pool: std::bad_alloc, or abort if a fixed pool is full. `try_cons` returns
 * std::nullopt instead. Constructors and destructors of values may use the lists, as those of rows
 * may use the pool; while a growing pool moves its cells, it has none. Aborts if a destructor pops
 * a cell during `collect`, or if the value of a new cell clears, moves or collects the lists. If
 * clear() ends cells with destructors, those see empty lists without memory, and a fixed pool is
 * full then.
 * Complexity: constant, except `collect`, `length` and `check`.
 * Thread safety: that of a standard container.
 * Source: the cons cells of Lisp (McCarthy, 1960).
 *
 * ```cpp
 * heapsmith::list<int> cells;
 * const auto tail = cells.cons(2, cells.nil());
 * const auto a = cells.cons(1, tail), b = cells.cons(0, tail);   // 1 2 and 0 2, in three cells
 * for (int v : cells.items(a)) use(v);
 * ```
 */
template <class T, template <class, class...> class Pool = pool, class... Policies>
class list {
  using index = typename Pool<int, Policies...>::index_type;
  using node = detail::split_node<index, T>;

 public:
  using pool_type = Pool<node, Policies..., policy::one_ended, policy::keep_capacity,
                         detail::rooted<detail::list_cells<index>>>;
  using value_type = T;
  using reference = typename detail::node_parts<pool_type, T>::reference;
  using const_reference = typename detail::node_parts<pool_type, T>::const_reference;

  /// Identifies a list by its first cell; nil is the empty list.
  class cell {
   public:
    constexpr cell() = default;
    explicit constexpr cell(index i) noexcept : at_(i) {}
    [[nodiscard]] constexpr index value() const noexcept { return at_; }
    friend constexpr bool operator==(const cell&, const cell&) = default;

   private:
    index at_ = detail::list_cells<index>::none;
  };

  /// A forward iterator over the values of a list.
  class iterator {
   public:
    using value_type = T;
    using reference = typename list::const_reference;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category =
        std::conditional_t<std::is_reference_v<reference>, std::forward_iterator_tag,
                           std::input_iterator_tag>;

    iterator() = default;
    iterator(const list* cells, cell at) noexcept : cells_(cells), at_(at) {}
    [[nodiscard]] cell where() const noexcept { return at_; }
    reference operator*() const noexcept { return cells_->head(at_); }
    iterator& operator++() noexcept {
      at_ = cells_->tail(at_);
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

   private:
    const list* cells_ = nullptr;
    cell at_;
  };

  /// Effects: constructs the pool from the arguments: a capacity, which fixed kinds need, or an
  /// upstream, or both.
  template <class... Arguments>
    requires std::constructible_from<pool_type, Arguments...>
  explicit list(Arguments&&... arguments) : pool_(std::forward<Arguments>(arguments)...) {}
  list(list&& other) noexcept : pool_(std::move(other.pool_)) {
    ++other.popped_;
    ++other.swept_;
  }
  list& operator=(list&& other) noexcept {
    if (this == &other) return *this;
    list taken(std::move(other));  // `other` may lie in a cell of this list
    clear();
    pool_ = std::move(taken.pool_);
    return *this;
  }
  ~list() { end_all(); }

  [[nodiscard]] static constexpr cell nil() noexcept { return cell(); }

  /// Returns: the list of `value` followed by the values of `tail`.
  template <class Value>
  cell cons(Value&& value, cell tail) {
    const std::size_t swept = swept_;
    const index i = pool_.emplace(tail.value(), made(std::forward<Value>(value)));
    if constexpr (!is_quiet<Value>) require_kept(swept);
    return cell(i);
  }
  template <class Value>
  std::optional<cell> try_cons(Value&& value, cell tail) {
    const std::size_t swept = swept_;
    const auto i = pool_.try_emplace(tail.value(), made(std::forward<Value>(value)));
    if constexpr (!is_quiet<Value>) require_kept(swept);
    return i ? std::optional(cell(*i)) : std::nullopt;
  }

  /// Returns: the first value, or the rest of the list. Requires: `l` is not nil.
  [[nodiscard]] reference head(cell l) noexcept { return parts::value(pool_, l.value()); }
  [[nodiscard]] const_reference head(cell l) const noexcept {
    return parts::value(pool_, l.value());
  }
  [[nodiscard]] cell tail(cell l) const noexcept { return cell(parts::hot(pool_, l.value())); }

  /// Effects: ends the first cell of `l`. Returns: its tail. Requires: no other list uses the cell.
  cell pop(cell l) noexcept {
    const cell rest = tail(l);
    end_cell(l);
    return rest;
  }

  /// Returns: the values of a list, as a range.
  [[nodiscard]] auto items(cell l) const noexcept {
    return std::ranges::subrange(iterator(this, l), iterator(this, nil()));
  }
  /// Returns: the number of values of a list. Complexity: linear.
  [[nodiscard]] std::size_t length(cell l) const noexcept {
    std::size_t n = 0;
    for (; l != nil(); l = tail(l)) ++n;
    return n;
  }

  /// Effects: ends all cells that are neither in one of these lists nor in the root. Returns: their
  /// number. Errors: std::bad_alloc. Complexity: linear in all cells, with a bit for each.
  std::size_t collect(std::span<const cell> lists)
    requires pool_type::policy_type::reuses
  {
    if (pool_.capacity() == 0) return 0;  // also while the pool moves its cells
    std::vector<bool> is_unused(pool_.end_index());
    for (auto it = pool_.begin(); it != pool_.end(); ++it) is_unused[it.index_of()] = true;
    const auto mark = [&](cell l) {
      for (; l != nil() && is_unused[l.value()]; l = tail(l)) is_unused[l.value()] = false;
    };
    mark(root());
    for (const cell l : lists) mark(l);
    const std::size_t popped = ++popped_;
    ++swept_;
    std::size_t ended = 0;
    for (std::size_t i = 0; i != is_unused.size(); ++i)
      if (is_unused[i]) {
        pool_.erase(static_cast<index>(i));
        ++ended;
        if (popped_ != popped) [[unlikely]]
          detail::fatal("%s", "list: a destructor of a value popped cells during collect()");
      }
    return ended;
  }

  /// Returns: the list that belongs to the object.
  [[nodiscard]] cell root() const noexcept { return cell(first()); }
  [[nodiscard]] bool empty() const noexcept { return root() == nil(); }
  template <class Value>
  void push_front(Value&& value) {
    const cell added = cons(std::forward<Value>(value), root());
    // The constructor of the value may have pushed another one, or popped one.
    if constexpr (!is_quiet<Value>) parts::hot(pool_, added.value()) = first();
    first() = added.value();
  }
  void pop_front() noexcept {
    const cell ended = root();
    first() = tail(ended).value();
    end_cell(ended);
  }
  [[nodiscard]] reference front() noexcept { return head(root()); }
  [[nodiscard]] const_reference front() const noexcept { return head(root()); }
  [[nodiscard]] iterator begin() const noexcept { return {this, root()}; }
  [[nodiscard]] iterator end() const noexcept { return {this, nil()}; }

  /// Effects: ends all cells of all lists.
  void clear() noexcept {
    end_all();
    pool_.clear();
    first() = nil().value();
    ++popped_;
    ++swept_;
  }

  [[nodiscard]] const pool_type& pool() const noexcept { return pool_; }

  /// Returns: a copy in which the same cells identify the lists. Requires: `T` is trivially
  /// copyable.
  [[nodiscard]] list clone() const { return list(pool_.clone(), root()); }
  [[nodiscard]] std::size_t image_bytes() const noexcept { return pool_.image_bytes(); }
  /// As save and load of `pool`; the image also holds the root.
  void save(std::span<std::byte> out) const { pool_.save(out, first()); }
  [[nodiscard]] bool load(std::span<const std::byte> image) {
    list fresh(detail::pool_insides::empty_copy(pool_), nil());
    std::uint64_t root;
    if (!fresh.pool_.load(image, &root) || root > nil().value()) return false;
    fresh.first() = static_cast<index>(root);
    fresh.end_loose_tails();
    if (fresh.check() != 0 || fresh.has_cycle()) return false;
    *this = std::move(fresh);
    return true;
  }

  /// Returns: 0, or the number of an invariant of the pool that does not hold, or 10 if a link does
  /// not lead to a cell, or 11 if the root's list is longer than the pool. Complexity: linear.
  [[nodiscard]] int check() const noexcept {
    if (const int broken = pool_.check(); broken != 0) return broken;
    if (!empty() && !pool_.contains(first())) return 10;
    for (auto it = pool_.begin(); it != pool_.end(); ++it) {
      const cell next = tail(cell(it.index_of()));
      if (next != nil() && !may_follow(next)) return 10;
    }
    std::size_t n = 0;
    for (cell l = root(); l != nil(); l = tail(l)) {
      if (!pool_.contains(l.value())) return 10;
      if (++n > pool_.size()) return 11;
    }
    return 0;
  }

 private:
  using parts = detail::node_parts<pool_type, T>;

  list(pool_type&& pool, cell root) noexcept : pool_(std::move(pool)) { first() = root.value(); }

  template <class Value>
  static decltype(auto) made(Value&& value) {
    return detail::as_value<T>(std::forward<Value>(value));
  }

  /// Whether the pool makes cells of such values without code of the user.
  template <class Value>
  static constexpr bool is_quiet =
      std::is_trivially_constructible_v<T, Value> && std::is_trivially_copyable_v<T>;

  /// The first cell of the root.
  index& first() noexcept { return detail::pool_insides::root(pool_); }
  index first() const noexcept { return detail::pool_insides::root(pool_); }

  /// Aborts if the new cell, or its tail, may have been ended before it had a place.
  void require_kept(std::size_t swept) const noexcept {
    if (swept_ != swept) [[unlikely]]
      detail::fatal("%s", "list: cleared, moved or collected by the value of a new cell");
  }

  /// In a deque pool, cells remain that no list uses any more.
  bool may_follow(cell l) const noexcept {
    return pool_.contains(l.value()) || !pool_type::policy_type::reuses;
  }
  /// Effects: such a cell becomes the end of its list, if its tail was popped.
  void end_loose_tails() noexcept {
    if constexpr (!pool_type::policy_type::reuses)
      for (auto it = pool_.begin(); it != pool_.end(); ++it) {
        auto& next = parts::hot(pool_, it.index_of());
        if (!pool_.contains(next)) next = nil().value();
      }
  }
  /// Returns: whether any list has no end. Requires: every tail is nil or a cell.
  bool has_cycle() const {
    enum : char { unseen, on_the_way, has_end };
    std::vector<char> state(pool_.end_index(), unseen);
    for (auto it = pool_.begin(); it != pool_.end(); ++it) {
      const cell first(it.index_of());
      cell l = first;
      for (; l != nil() && state[l.value()] == unseen; l = tail(l)) state[l.value()] = on_the_way;
      if (l != nil() && state[l.value()] == on_the_way) return true;
      for (l = first; l != nil() && state[l.value()] == on_the_way; l = tail(l))
        state[l.value()] = has_end;
    }
    return false;
  }

  void end_all() noexcept {
    detail::end_nodes(pool_, [this] { first() = nil().value(); });
  }
  void end_cell(cell l) noexcept {
    if constexpr (!pool_type::layout_type::ends_trivially) ++popped_;
    detail::discard(pool_, l.value());
  }

  pool_type pool_;
  std::size_t popped_ = 0;  // how often cells were ended, if they have destructors
  std::size_t swept_ = 0;   // how often all cells without a list were
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
