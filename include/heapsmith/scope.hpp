// Scopes: objects of any type on an arena, destroyed in reverse order when the scope closes.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "heapsmith/arena.hpp"
#include "heapsmith/detail/arena/object_runs.hpp"
#include "heapsmith/detail/arena/scope_frame.hpp"
#include "heapsmith/detail/check.hpp"
#include "heapsmith/detail/lifetime.hpp"

namespace heapsmith {

/**
 * A lifetime on an arena, opened and closed like a bracket.
 *
 * What is made in a scope lives until the scope closes: destructors then run in reverse order, and
 * the arena is back where it was. Objects without a destructor cost nothing but their memory; of
 * those that have one, neighbours of one type share an entry of 32 bytes.
 *
 * Scopes nest, `scope inner(outer)`, and only the innermost one is used. To use an arena or a scope
 * while a scope is open on it stops the process with a line that names both, in every build: an
 * open scope has taken over its parent's room, so the check costs nothing where it passes.
 *
 * A scope is a resource too, for containers that live within it.
 *
 * # Requires
 * The arena, or the parent, outlives the scope. Types are nothrow-destructible.
 *
 * Errors: arena_exhausted when the arena has no room and gets none; the functions that begin with
 * `try_` return nullptr, or an empty span, instead. Nothing was made then. An exception of a
 * constructor passes through, and the object was never there.
 * Complexity: as the arena. Closing is linear in the objects that have a destructor, and in the
 * pieces that go.
 * Thread safety: none. It neither copies nor moves.
 * Source: scope stack allocation at Frostbite (Andreas Fredriksson, 2010).
 *
 * ```cpp
 * heapsmith::arena memory;
 * {
 *   heapsmith::scope frame(memory, "frame");
 *   particle& p = frame.make<particle>(position);
 *   std::span<float> weights = frame.make_span<float>(count);
 * }  // ~particle ran; the memory is there for the next frame
 * ```
 */
template <resource Upstream = default_resource>
class scope {
  using enum detail::without_memory;

 public:
  static constexpr bool deallocate_is_trivial = true;

  /// Effects: opens a scope on the arena. `name` appears in messages, and is not copied.
  explicit scope(arena<Upstream>& on HS_LIFETIMEBOUND, const char* name = nullptr) noexcept
      : frame_(on.front_, on.pieces_, name) {}

  /// Effects: opens a scope on the scope `on`; a copy it is not.
  explicit scope(scope& on HS_LIFETIMEBOUND, const char* name = nullptr) noexcept
      : frame_(on.frame_, on.frame_.all_pieces(), name) {}

  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// Effects: destroys the objects, last first, and frees their memory.
  ~scope() = default;

  /**
   * Effects: constructs a T from the arguments, which lives until the scope closes.
   * Requires: ~T does not throw.
   * Errors: arena_exhausted, or what the constructor throws; no object is registered then. The
   * constructor may itself make objects in the scope, which outlive this one.
   *
   * ```cpp
   * node& root = s.make<node>("root", s.make<node>("leaf"));
   * ```
   */
  template <class T, class... Arguments>
    requires std::constructible_from<T, Arguments...>
  [[gnu::always_inline]] T& make(Arguments&&... arguments) HS_LIFETIMEBOUND {
    return *make_one<T, throws>(std::forward<Arguments>(arguments)...);
  }

  /**
   * As make(), for memory that may be used up.
   * Returns: the object; nullptr, and nothing was made, when the arena has no room and gets none.
   * Errors: only what the constructor throws.
   *
   * ```cpp
   * if (node* leaf = s.try_make<node>("leaf")) root.add(*leaf);
   * ```
   */
  template <class T, class... Arguments>
    requires std::constructible_from<T, Arguments...>
  [[nodiscard, gnu::always_inline]] T* try_make(Arguments&&... arguments) noexcept(
      std::is_nothrow_constructible_v<T, Arguments...>) HS_LIFETIMEBOUND {
    return make_one<T, is_null>(std::forward<Arguments>(arguments)...);
  }

  /// Effects: constructs `count` objects of T, each from no arguments, so that numbers are zero.
  /// Errors: as for make(), and std::bad_array_new_length when no array is that long.
  template <class T>
    requires std::default_initializable<T>
  T* make_array(std::size_t count) HS_LIFETIMEBOUND {
    return make_many<T, throws>(count, detail::construct_values<T>());
  }

  /// As make_array(); nullptr when there is no room, or no array is that long.
  template <class T>
    requires std::default_initializable<T>
  [[nodiscard]] T* try_make_array(std::size_t count) noexcept(
      std::is_nothrow_default_constructible_v<T>) HS_LIFETIMEBOUND {
    return make_many<T, is_null>(count, detail::construct_values<T>());
  }

  /// As make_array(), and tells the length.
  template <class T>
    requires std::default_initializable<T>
  std::span<T> make_span(std::size_t count) HS_LIFETIMEBOUND {
    return {make_array<T>(count), count};
  }

  /// As try_make_array(), and tells the length. A span without data: there is no room.
  template <class T>
    requires std::default_initializable<T>
  [[nodiscard]] std::span<T> try_make_span(std::size_t count) noexcept(
      std::is_nothrow_default_constructible_v<T>) HS_LIFETIMEBOUND {
    T* const first = try_make_array<T>(count);
    return {first, first == nullptr ? 0 : count};
  }

  /// Effects: constructs copies of what is in the range.
  /// ```cpp
  /// std::span<char> copy = s.make_span(std::string_view("text"));
  /// ```
  template <std::ranges::sized_range Range, class T = std::ranges::range_value_t<Range>>
    requires std::constructible_from<T, std::ranges::range_reference_t<Range>>
  std::span<T> make_span(Range&& range) HS_LIFETIMEBOUND {
    const auto count = static_cast<std::size_t>(std::ranges::size(range));
    return {make_many<T, throws>(count, detail::construct_copies<T, Range>{range}), count};
  }

  /// The same; a span without data when there is no room.
  template <std::ranges::sized_range Range, class T = std::ranges::range_value_t<Range>>
    requires std::constructible_from<T, std::ranges::range_reference_t<Range>>
  [[nodiscard]] std::span<T> try_make_span(Range&& range) noexcept(
      detail::construct_copies<T, Range>::is_nothrow) HS_LIFETIMEBOUND {
    const auto count = static_cast<std::size_t>(std::ranges::size(range));
    T* const first = make_many<T, is_null>(count, detail::construct_copies<T, Range>{range});
    return {first, first == nullptr ? 0 : count};
  }

  [[nodiscard, gnu::always_inline, gnu::returns_nonnull]] void*
  allocate(std::size_t bytes, std::size_t align = default_align) {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    return frame_.template get<throws>(bytes, align);
  }

  [[nodiscard, gnu::always_inline]] void* try_allocate(std::size_t bytes,
                                                       std::size_t align = default_align) noexcept {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    return frame_.template get<is_null>(bytes, align);
  }

  /// Effects: frees the memory of the last block, `p`; of another one nothing.
  void deallocate(void* p, std::size_t bytes, std::size_t /*align*/ = default_align) noexcept {
    frame_.deallocate(p, bytes);
  }

  /// Returns: true when the block is now `new_bytes` long: any block shrinks, the last one grows as
  /// long as its piece has room.
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t /*align*/ = default_align) noexcept {
    return frame_.try_expand(p, old_bytes, new_bytes);
  }

  /// Effects: destroys the objects and frees the memory as if the scope closed, and stays open.
  void reset() noexcept {
    frame_.require_no_child("reset was called on");
    frame_.clear();
  }

  /// Bytes left in the current piece of the arena.
  [[nodiscard]] std::size_t remaining() const noexcept { return frame_.remaining(); }

  friend bool operator==(const scope& a, const scope& b) noexcept { return &a == &b; }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  template <class T, detail::without_memory Otherwise, class... Arguments>
  [[gnu::always_inline]] T*
  make_one(Arguments&&... arguments) noexcept(Otherwise == is_null &&
                                              std::is_nothrow_constructible_v<T, Arguments...>) {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>, "arrays are made by make_array");
    return frame_.template build<T, Otherwise>(
        1, [&](T* at) noexcept(std::is_nothrow_constructible_v<T, Arguments...>) {
          ::new (at) T(std::forward<Arguments>(arguments)...);
        });
  }

  /// `construct(at, count)` constructs all of them, or throws and leaves none.
  template <class T, detail::without_memory Otherwise, class Construct>
  T* make_many(std::size_t count,
               Construct construct) noexcept(Otherwise == is_null && Construct::is_nothrow) {
    if (count > detail::longest_array<T>) [[unlikely]] {
      if constexpr (Otherwise == throws) detail::raise(std::bad_array_new_length());
      return nullptr;
    }
    return frame_.template build<T, Otherwise>(
        count, [&](T* at) noexcept(Construct::is_nothrow) { construct(at, count); });
  }

  detail::scope_frame<Upstream> frame_;
};

}  // namespace heapsmith
