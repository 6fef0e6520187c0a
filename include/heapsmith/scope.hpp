// Scopes: objects of any type on an arena, destroyed in reverse order when the scope closes.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <cstddef>
#include <type_traits>

#include "heapsmith/arena.hpp"
#include "heapsmith/detail/arena/object_maker.hpp"
#include "heapsmith/detail/arena/scope_frame.hpp"
#include "heapsmith/detail/check.hpp"
#include "heapsmith/detail/lifetime.hpp"

namespace heapsmith {

/**
 * A lifetime on an arena. It opens when the scope is constructed, and closes when the scope is
 * destroyed.
 *
 * Objects made in a scope live until the scope closes. Their destructors then run in reverse order,
 * and the arena returns to where it was. An object without a destructor costs only its memory.
 * Neighbouring objects of one type that have a destructor share an entry of 32 bytes.
 *
 * Scopes nest: `auto level = frame.child("level");`. Only the innermost open scope may be used. An
 * arena or scope that is used while a scope is open on it aborts the process, in every build, with
 * a message that names both. The check costs nothing, because an open scope takes over its
 * parent's free memory.
 *
 * A scope is a resource, so containers that live within it can use it.
 *
 * # Objects
 * ```cpp
 * node& tree = s.make<node>("tree", s.make<node>("leaf"));       // from constructor arguments
 * int* sums = s.make_array<int>(count);                          // value-initialised: zeros
 * std::span<node*> nodes = s.make_span<node*>(count);            // the same, with the length
 * std::span<char> copy = s.make_span(std::string_view("text"));  // copies of a range
 * if (node* leaf = s.try_make<node>("leaf")) tree.add(*leaf);    // null if there is no memory
 * ```
 * try_make_array() and try_make_span() return nullptr, or a span without data, if there is no
 * memory. A constructor may make further objects in the scope: they are destroyed after the object
 * that it constructs. Destructors may make objects in the scope, too, which are destroyed next.
 * Aborts if a destructor of an object resets its scope.
 *
 * # Requires
 * The arena or the parent outlives the scope. Destructors do not throw.
 *
 * Errors: throws arena_exhausted if the arena is full and gets no memory from upstream, and
 * std::bad_array_new_length if an array would be too long. Passes on what a constructor throws.
 * If it throws, no object has been made.
 * Complexity: that of the arena. Closing is linear in the objects that have a destructor, and in
 * the pieces freed.
 * Thread safety: none. Neither copies nor moves.
 * Source: scope stack allocation at Frostbite (Andreas Fredriksson, 2010).
 *
 * ```cpp
 * heapsmith::arena memory;
 * {
 *   heapsmith::scope frame(memory, "frame");
 *   particle& p = frame.make<particle>(position);
 *   std::span<float> weights = frame.make_span<float>(count);
 * }  // ~particle ran; the next frame uses the memory again
 * ```
 */
template <resource Upstream = default_resource>
class scope : public detail::object_maker<scope<Upstream>> {
 public:
  static constexpr bool deallocate_is_trivial = true;

  /// Effects: opens a scope on the arena. Messages show `name`, which is not copied.
  explicit scope(arena<Upstream>& on HS_LIFETIMEBOUND, const char* name = nullptr) noexcept
      : frame_(on.front_, on.pieces_, name) {}

  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// Effects: destroys the objects, last first, and frees their memory.
  ~scope() = default;

  /**
   * Effects: opens a scope on this one. Messages show `name`, which is not copied.
   * Errors: aborts if a child is open already.
   *
   * ```cpp
   * heapsmith::scope frame(memory, "frame");
   * {
   *   auto level = frame.child("level");
   *   level.make<particle>(position);
   * }
   * frame.make<particle>(position);  // after the child has closed
   * ```
   */
  [[nodiscard]] scope child(const char* name = nullptr) noexcept HS_LIFETIMEBOUND {
    return scope(frame_, name);
  }

  /// Returns: a block of at least `bytes` bytes. Requires: `align` is a power of two.
  [[nodiscard, gnu::always_inline, gnu::returns_nonnull]] void*
  allocate(std::size_t bytes, std::size_t align = default_align) {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    return frame_.template get<detail::on_failure::throws>(bytes, align);
  }

  /// As allocate(). Returns: nullptr if there is no memory.
  [[nodiscard, gnu::always_inline]] void* try_allocate(std::size_t bytes,
                                                       std::size_t align = default_align) noexcept {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    return frame_.template get<detail::on_failure::returns_null>(bytes, align);
  }

  /// Effects: frees the memory of `p` if it is the last block; does nothing otherwise.
  void deallocate(void* p, std::size_t bytes, std::size_t /*align*/ = default_align) noexcept {
    frame_.deallocate(p, bytes);
  }

  /// Effects: resizes the block in place. Any block can shrink; the last block can grow to the end
  /// of its piece.
  /// Returns: true if the block now has `new_bytes` bytes.
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t /*align*/ = default_align) noexcept {
    return frame_.try_expand(p, old_bytes, new_bytes);
  }

  /// Effects: destroys the objects, last first, and frees all memory of the scope, which stays
  /// open.
  void reset() noexcept {
    frame_.require_no_child("reset");
    frame_.clear();
  }

  /// Returns: the free bytes in the current piece of the arena.
  [[nodiscard]] std::size_t remaining() const noexcept { return frame_.remaining(); }

  friend bool operator==(const scope& a, const scope& b) noexcept { return &a == &b; }

 private:
  friend class detail::object_maker<scope>;
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  scope(detail::scope_frame<Upstream>& parent, const char* name) noexcept
      : frame_(parent, parent.all_pieces(), name) {}

  template <class T, detail::on_failure Otherwise, class Construct>
  [[gnu::always_inline]] T*
  build(std::size_t count,
        Construct construct) noexcept(Otherwise == detail::on_failure::returns_null &&
                                      std::is_nothrow_invocable_v<Construct&, T*>) {
    return frame_.template build<T, Otherwise>(count, construct);
  }

  detail::scope_frame<Upstream> frame_;
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
