// Typed pools: rows of one type in numbered slots, found by index or by handle.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <utility>

#include "heapsmith/detail/address.hpp"
#include "heapsmith/detail/check.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/pool/books.hpp"
#include "heapsmith/detail/pool/check_books.hpp"
#include "heapsmith/detail/pool/image.hpp"
#include "heapsmith/detail/pool/insides.hpp"
#include "heapsmith/detail/pool/iterator.hpp"
#include "heapsmith/detail/pool/policies.hpp"
#include "heapsmith/detail/pool/rows.hpp"
#include "heapsmith/handle.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * Rows of type `T` in numbered slots. A row is found by the index of its slot, or by a handle.
 *
 * An index is valid as long as its row lives: growth moves the rows and changes no index. Indices
 * are unsigned and count on from both ends: the first row added at the front of a fresh pool has
 * the index before 0, which is the largest of its type.
 *
 * # Policies, of namespace policy. By default a pool grows, any row can be erased, one block.
 * - `fixed`: one allocation, whose capacity is an argument of the constructor.
 * - `no_reuse`: rows are erased at the ends only.
 * - `stable`: slots lie in pieces and never move; in one block, they move when the pool grows.
 * - `ring`: a fixed pool uses at one end the slots that are left at the other.
 * - `with_handles`, `keep_capacity`, `one_ended`, `index<std::uint32_t>`, `column_align<Bytes>`,
 *   `upstream<Resource>`.
 *
 * # Requires
 * `T` moves without throwing, if the pool is growable and contiguous. An upstream that can be
 * copied is copied; any other is held by reference and must outlive the pool.
 *
 * # Errors
 * std::bad_alloc if a growable pool cannot obtain memory; nothing has changed then. Aborts, in
 * every build, if a row is added to a full fixed pool, if a row that is not live is erased, or if a
 * stale or foreign handle is used. The try_ functions return std::nullopt if the pool is full or
 * memory cannot be obtained.
 *
 * Constructors, conversions and destructors of rows may use the pool that runs them. The pool
 * aborts if such code clears, moves or destroys it, or adds a row for which the pool would have to
 * move its rows. A deque pool also aborts if such code pops a row, or if a destructor adds a row at
 * the end that is popped. `docs/typed-pools.md` has all cases.
 *
 * Complexity: constant, amortised if a growable pool moves. Functions that take longer say so. The
 * next live row is found in O(log capacity()): at most six words are read in each direction.
 * Thread safety: that of a standard container. A moved-from pool is empty. A fixed pool that was
 * moved from is also full, because it has no slots.
 * Source: index-addressed allocators with a free list; the two ends are those of a deque.
 *
 * ```cpp
 * heapsmith::pool<order> orders;
 * const std::uint32_t i = orders.emplace(price, quantity);
 * orders[i].quantity -= 10;
 * orders.erase(i);
 * ```
 */
template <class T, class... Policies>
class pool {
 public:
  using policy_type = detail::pool_policy<default_resource, Policies...>;
  using layout_type = typename detail::layout_of<T, policy_type>::type;
  using index_type = typename policy_type::index_type;
  using upstream_type = typename policy_type::upstream_type;
  using handle_type = handle<T>;

 private:
  using layout = layout_type;
  using image = detail::pool_image<pool>;
  friend image;
  friend detail::pool_insides;
  using books_type = detail::slot_books<layout, policy_type>;
  using source = detail::upstream<upstream_type>;
  using spot = detail::spot;
  static_assert(!policy_type::has_handles || sizeof(index_type) <= sizeof(std::uint32_t),
                "a handle holds 32 bits of index");

 public:
  using value_type = typename layout::value_type;
  using reference = typename layout::reference;
  using const_reference = typename layout::const_reference;
  using iterator = detail::slot_iterator<books_type, false>;
  using const_iterator = detail::slot_iterator<books_type, true>;
  template <std::size_t I>
  using field = typename layout::template field<I>;
  static constexpr bool is_soa = policy_type::is_soa;
  static constexpr std::size_t column_count = layout::value_columns;

  /// A fixed pool needs a capacity. A growable one without a capacity starts without memory.
  pool()
    requires(!policy_type::is_fixed && std::default_initializable<source>)
      : pool(source(), 0) {}
  explicit pool(std::size_t capacity)
    requires std::default_initializable<source>
      : pool(source(), capacity) {}
  explicit pool(upstream_type& from)
    requires(!policy_type::is_fixed)
      : pool(source(from), 0) {}
  pool(std::size_t capacity, upstream_type& from) : pool(source(from), capacity) {}
  pool(pool&&) noexcept = default;
  pool& operator=(pool&& other) noexcept {
    if (this == &other) return *this;
    pool taken(std::move(other));  // `other` may lie in a row of this pool
    this->~pool();
    return *::new (static_cast<void*>(this)) pool(std::move(taken));
  }
  ~pool() {
    books_.idle("destroyed");
    if constexpr (!layout::ends_trivially) books_.end_rows();
  }

  /// Returns: a pool with `capacity` slots, or std::nullopt if memory for them cannot be obtained.
  [[nodiscard]] static std::optional<pool> try_create(std::size_t capacity)
    requires std::default_initializable<source>
  {
    return try_create(capacity, source());
  }
  [[nodiscard]] static std::optional<pool> try_create(std::size_t capacity, upstream_type& from) {
    return try_create(capacity, source(from));
  }

  [[nodiscard]] std::size_t size() const noexcept { return books_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::size_t capacity() const noexcept { return books_.slots.capacity(); }
  /// Returns: how many rows a pool can have, given its indices and the address space.
  static constexpr std::size_t max_size() noexcept {
    return detail::most_slots(layout::shapes, books_type::slots_type::max_capacity);
  }
  /// The window of indices in which all rows lie; `end_index` is one past it.
  [[nodiscard]] index_type begin_index() const noexcept { return books_.first; }
  [[nodiscard]] index_type end_index() const noexcept { return books_.last; }

  /// Effects: constructs a row from the arguments, in the slot erased last, or at the end if no
  /// erased slot is left. Returns: its index.
  template <class... Arguments>
  [[gnu::always_inline]] inline index_type emplace(Arguments&&... arguments) {
    return books_.template add<spot::any>(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  std::optional<index_type> try_emplace(Arguments&&... arguments) {
    return books_.template try_add<spot::any>(std::forward<Arguments>(arguments)...);
  }

  /// Effects: emplace_back constructs a row behind all others, and emplace_front one before them.
  /// Iteration visits the row last, or first. Slots erased between other rows wait for emplace.
  /// Returns: the row's index, one past the window or one before it. A fixed pool may use a slot
  /// whose row a pop ended at this end, and which is still in the window. A pool with handles does
  /// not narrow its window, so emplace suits it better. Complexity: constant, amortised.
  template <class... Arguments>
  index_type emplace_back(Arguments&&... arguments) {
    return books_.template add<spot::back>(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  std::optional<index_type> try_emplace_back(Arguments&&... arguments) {
    return books_.template try_add<spot::back>(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
    requires(!policy_type::is_one_ended)
  index_type emplace_front(Arguments&&... arguments) {
    return books_.template add<spot::front>(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
    requires(!policy_type::is_one_ended)
  std::optional<index_type> try_emplace_front(Arguments&&... arguments) {
    return books_.template try_add<spot::front>(std::forward<Arguments>(arguments)...);
  }

  /// As emplace. Returns: the handle of the new row.
  template <class... Arguments>
    requires policy_type::has_handles
  handle_type emplace_handle(Arguments&&... arguments) {
    return books_.template handle_of<handle_type>(emplace(std::forward<Arguments>(arguments)...));
  }
  template <class... Arguments>
    requires policy_type::has_handles
  std::optional<handle_type> try_emplace_handle(Arguments&&... arguments) {
    const auto i = try_emplace(std::forward<Arguments>(arguments)...);
    return i ? std::optional(books_.template handle_of<handle_type>(*i)) : std::nullopt;
  }

  /// Effects: ends a row. Its handles are stale from then on. Aborts if the row is not live.
  void erase(index_type i) noexcept
    requires policy_type::reuses
  {
    books_.end_row(books_.require(i));
  }
  void erase(handle_type h) noexcept
    requires policy_type::has_handles
  {
    books_.end_row(books_.require(h));
  }

  /// Effects: ends the last row, or the first one. Aborts if the pool is empty.
  /// Complexity: constant, amortised.
  void pop_back() noexcept {
    books_.require_rows("pop_back");
    books_.end_last();
  }
  void pop_front() noexcept
    requires(!policy_type::is_one_ended || policy_type::is_ring)
  {
    books_.require_rows("pop_front");
    books_.end_first();
  }

  /// Effects: ends all rows, and those that destructors add meanwhile; keeps the capacity.
  /// Complexity: linear.
  void clear() noexcept { books_.clear(); }

  /// Effects: gives back the memory that no slot of the window needs, if possible.
  void shrink_to_fit() noexcept
    requires(!policy_type::is_fixed && !policy_type::has_handles)
  {
    books_.trim(1);
    books_.shrink(true);
  }

  /// Returns: whether slot `i` holds a row; whether the row that `h` names still lives.
  [[nodiscard]] bool contains(index_type i) const noexcept { return books_.is_live(i); }
  [[nodiscard]] bool contains(handle_type h) const noexcept
    requires policy_type::has_handles
  {
    return books_.is_live(h);
  }

  /// Returns: the row. Requires: slot `i` holds one, which debug and hardened builds check. Aborts
  /// if a handle is stale or foreign, in every build.
  [[nodiscard]] reference operator[](index_type i) noexcept {
    return layout::row(books_.slots, slot_of(i));
  }
  [[nodiscard]] const_reference operator[](index_type i) const noexcept {
    return layout::const_row(books_.slots, slot_of(i));
  }
  [[nodiscard]] reference operator[](handle_type h) noexcept
    requires policy_type::has_handles
  {
    return layout::row(books_.slots, slot_of(h));
  }
  [[nodiscard]] const_reference operator[](handle_type h) const noexcept
    requires policy_type::has_handles
  {
    return layout::const_row(books_.slots, slot_of(h));
  }
  /// Returns: the row. Aborts if it is not live.
  [[nodiscard]] reference at(index_type i) noexcept {
    return layout::row(books_.slots, books_.require(i));
  }
  [[nodiscard]] const_reference at(index_type i) const noexcept {
    return layout::const_row(books_.slots, books_.require(i));
  }

  /// Returns: a pointer to the row, or nullptr if it is not live; in columns, a std::optional row
  /// of references. `name` is an index or a handle.
  [[nodiscard]] auto get(auto name) noexcept {
    return found<typename layout::pointer>(*this, name);
  }
  [[nodiscard]] auto get(auto name) const noexcept {
    return found<typename layout::const_pointer>(*this, name);
  }

  /// Returns: the handle of the row in slot `i`. Aborts if it is not live.
  [[nodiscard]] handle_type handle_of(index_type i) const noexcept
    requires policy_type::has_handles
  {
    return books_.template handle_of<handle_type>(books_.require(i));
  }

  /// Effects: the processor begins to load the row, or its first column, if `i` is a slot. Always
  /// inlined, because compilers assume that a function that only prefetches has no effects.
  [[gnu::always_inline]] inline void prefetch(index_type i) const noexcept {
    __builtin_prefetch(books_.slots.address(i));
  }

  /// Live rows in the order of their indices.
  [[nodiscard]] iterator begin() noexcept { return {&books_, books_.next_live(books_.first)}; }
  [[nodiscard]] iterator end() noexcept { return {&books_, books_.last}; }
  [[nodiscard]] const_iterator begin() const noexcept {
    return {&books_, books_.next_live(books_.first)};
  }
  [[nodiscard]] const_iterator end() const noexcept { return {&books_, books_.last}; }

  /// Returns: all rows, which lie side by side.
  [[nodiscard]] std::span<T> data() noexcept
    requires policy_type::is_one_run
  {
    return {empty() ? nullptr : detail::address_of((*this)[begin_index()]), size()};
  }
  [[nodiscard]] std::span<const T> data() const noexcept
    requires policy_type::is_one_run
  {
    return {empty() ? nullptr : detail::address_of((*this)[begin_index()]), size()};
  }

  /// In columns only. Returns: one field of a row, without a look at the others. Requires what
  /// operator[] requires.
  template <std::size_t I>
  [[nodiscard]] field<I>& get(auto name) noexcept
    requires is_soa
  {
    return layout::template get<I>(books_.slots, slot_of(name));
  }
  template <std::size_t I>
  [[nodiscard]] const field<I>& get(auto name) const noexcept
    requires is_soa
  {
    return layout::template get<I>(books_.slots, slot_of(name));
  }
  /// In columns only. Returns: field `I` of all slots from the first live one to the last, as a
  /// column_view; of a ring, two of them. Dead slots in between hold valid values.
  template <std::size_t I>
  [[nodiscard]] auto column() noexcept
    requires is_soa
  {
    return layout::template spans<I, field<I>>(books_);
  }
  template <std::size_t I>
  [[nodiscard]] auto column() const noexcept
    requires is_soa
  {
    return layout::template spans<I, const field<I>>(books_);
  }

  /// Returns: the same rows at the same indices, from the same upstream. Handles of one pool are
  /// foreign to the other. Requires: rows are trivially copyable.
  [[nodiscard]] pool clone() const
    requires layout::is_plain_memory
  {
    return image::clone(*this);
  }
  /// Returns: how many bytes save() writes.
  [[nodiscard]] std::size_t image_bytes() const noexcept { return image::bytes(books_.window()); }
  /// Effects: writes the rows and `user`, a number of the caller's, as plain memory without
  /// addresses. Requires: rows are trivially copyable; `out` has image_bytes() bytes.
  void save(std::span<std::byte> out, std::uint64_t user = 0) const
    requires layout::is_plain_memory
  {
    image::save(*this, out, user);
  }
  /// Effects: replaces all rows by those of an image. Returns: false, with nothing changed, if the
  /// image is of another kind of pool, is cut short, or does not fit a fixed pool. rebind() gives
  /// handles of the saved pool their counterparts.
  [[nodiscard]] bool load(std::span<const std::byte> from, std::uint64_t* user = nullptr)
    requires layout::is_plain_memory
  {
    return image::load(*this, from, user);
  }

  /// Returns: 0, or the number of a broken invariant. Complexity: linear.
  [[nodiscard]] int check() const noexcept { return detail::broken_invariant(books_); }

 private:
  explicit pool(const source& from) noexcept : books_(from) {}
  pool(const source& from, std::size_t capacity) : books_(from) {
    if (!books_.slots.start(capacity)) detail::raise(std::bad_alloc());
  }
  static std::optional<pool> try_create(std::size_t capacity, const source& from) {
    std::optional<pool> made(pool{from});
    if (!made->books_.slots.start(capacity)) made.reset();
    return made;
  }

  index_type slot_of(index_type i) const noexcept {
    HS_REQUIRE(contains(i), "the slot is not live");
    return i;
  }
  index_type slot_of(handle_type h) const noexcept { return books_.require(h); }

  template <class Result>
  static Result found(auto& self, auto name) noexcept {
    return self.contains(name) ? Result(layout::pointer_to(self[name])) : Result();
  }

  books_type books_;
};

/// The kinds of pools. In a deque_pool rows are added and erased at the ends only, without holes.
template <class T, class... Policies>
using fixed_pool = pool<T, policy::fixed, Policies...>;
template <class T, class... Policies>
using deque_pool = pool<T, policy::no_reuse, Policies...>;
template <class T, class... Policies>
using fixed_deque_pool = pool<T, policy::fixed, policy::no_reuse, Policies...>;

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
