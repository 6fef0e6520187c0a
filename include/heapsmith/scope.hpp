// Scopes: objects of any type on an arena, destroyed in reverse order when the scope closes.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include "heapsmith/arena.hpp"
#include "heapsmith/detail/lifetime.hpp"
#include "heapsmith/detail/object_runs.hpp"

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
 * Errors: arena_exhausted when the arena has no room and gets none; nothing was made then. An
 * exception of a constructor passes through, and the object was never there.
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
 public:
  static constexpr bool deallocate_is_trivial = true;

  /// Effects: opens a scope on the arena. `name` appears in messages, and is not copied.
  explicit scope(arena<Upstream>& on HS_LIFETIMEBOUND, const char* name = nullptr) noexcept
      : scope(on.front_, on.pieces_, name) {}

  /// Effects: opens a scope on the scope `on`; a copy it is not.
  explicit scope(scope& on HS_LIFETIMEBOUND, const char* name = nullptr) noexcept
      : scope(on.front_, *on.pieces_, name) {}

  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// Effects: destroys the objects, last first, and frees their memory.
  ~scope() {
    front_.require_no_child("the life ended of");
    clear();
    parent_->child = nullptr;
    parent_->position = front_.position;
    parent_->end = front_.end;
  }

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
    static_assert(std::is_object_v<T> && !std::is_array_v<T>, "arrays are made by make_array");
    return *build<T>(1, [&](T* at) { ::new (at) T(std::forward<Arguments>(arguments)...); });
  }

  /// Effects: constructs `count` objects of T, each from no arguments, so that numbers are zero.
  /// Errors: as for make(), and std::bad_array_new_length when no array is that long.
  template <class T>
    requires std::default_initializable<T>
  T* make_array(std::size_t count) HS_LIFETIMEBOUND {
    if (count > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T))
      detail::raise(std::bad_array_new_length());
    return build<T>(count, [=](T* at) {
      if constexpr (std::is_nothrow_default_constructible_v<T>)
        std::uninitialized_value_construct_n(at, count);
      else
        detail::construct_each(at, count, [](T* one) { ::new (one) T(); });
    });
  }

  /// As make_array(), and tells the length.
  template <class T>
    requires std::default_initializable<T>
  std::span<T> make_span(std::size_t count) HS_LIFETIMEBOUND {
    return {make_array<T>(count), count};
  }

  /// Effects: constructs copies of what is in the range.
  /// ```cpp
  /// std::span<char> copy = s.make_span(std::string_view("text"));
  /// ```
  template <std::ranges::sized_range Range, class T = std::ranges::range_value_t<Range>>
  std::span<T> make_span(const Range& range) HS_LIFETIMEBOUND {
    const auto count = static_cast<std::size_t>(std::ranges::size(range));
    T* const first = build<T>(count, [&](T* at) {
      auto next = std::ranges::begin(range);
      detail::construct_each(at, count, [&](T* one) { ::new (one) T(*next++); });
    });
    return {first, count};
  }

  [[nodiscard, gnu::always_inline, gnu::returns_nonnull]] void*
  allocate(std::size_t bytes, std::size_t align = default_align) {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    return front_.allocate(bytes, align,
                           [=, this]() HS_INLINED { return allocate_slow(bytes, align); });
  }

  [[nodiscard, gnu::always_inline]] void* try_allocate(std::size_t bytes,
                                                       std::size_t align = default_align) noexcept {
    HS_REQUIRE((align & (align - 1)) == 0 && align != 0, "alignments are powers of two");
    return front_.allocate(bytes, align, [=, this]() HS_INLINED {
      return pieces_->try_allocate_slow(front_, bytes, align);
    });
  }

  /// Effects: frees the memory of the last block, `p`; of another one nothing.
  void deallocate(void* p, std::size_t bytes, std::size_t /*align*/ = default_align) noexcept {
    front_.deallocate(p, bytes);
  }

  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t /*align*/ = default_align) noexcept {
    return front_.try_expand(p, old_bytes, new_bytes);
  }

  /// Effects: destroys the objects and frees the memory as if the scope closed, and stays open.
  void reset() noexcept {
    front_.require_no_child("reset was called on");
    clear();
  }

  /// Bytes left in the current piece of the arena.
  [[nodiscard]] std::size_t remaining() const noexcept {
    return static_cast<std::size_t>(front_.active().end - front_.active().position);
  }

  friend bool operator==(const scope& a, const scope& b) noexcept { return &a == &b; }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);
  using pieces = detail::arena_pieces<Upstream>;

  scope(detail::cursor_holder& parent, pieces& all, const char* name) noexcept
      : front_("scope", name), parent_(&parent), pieces_(&all) {
    if (parent.end == nullptr) [[unlikely]]
      open_slow();
    parent.lend(front_);
    start_ = front_.position;
    start_piece_ = all.current();
  }

  /// The arena has no piece, or the parent has lent its cursor.
  [[gnu::noinline, gnu::cold]] void open_slow() noexcept {
    parent_->require_no_child("a scope was opened on");
    pieces_->use_spare(*parent_);
  }

  /// Memory of an object that is being constructed: free again when the constructor throws.
  struct pending {
    ~pending() {
      if (at != nullptr) front.deallocate(at, bytes);
    }
    detail::cursor& front;
    char* at;
    std::size_t bytes;
  };

  /// Requires: count * sizeof(T) does not overflow. `construct(at)` constructs all or throws.
  template <class T, class Construct>
  [[gnu::always_inline]] T* build(std::size_t count, Construct construct) {
    static_assert(std::is_nothrow_destructible_v<T>,
                  "a scope runs destructors when it closes: they must not throw");
    const std::size_t bytes = count * sizeof(T);
    if constexpr (std::is_trivially_destructible_v<T>) {
      pending memory{front_, static_cast<char*>(allocate(bytes, alignof(T))), bytes};
      construct(reinterpret_cast<T*>(memory.at));
      return reinterpret_cast<T*>(std::exchange(memory.at, nullptr));
    } else {
      detail::object_run* run = runs_;
      if (run->destroy != &detail::destroy_run<T> || run->end != front_.position ||
          bytes > static_cast<std::size_t>(front_.end - front_.position)) [[unlikely]]
        run = start_run(&detail::destroy_run<T>, bytes, alignof(T));
      pending memory{front_, front_.take(bytes), bytes};
      construct(reinterpret_cast<T*>(memory.at));
      char* const at = std::exchange(memory.at, nullptr);
      if (run == runs_) [[likely]]
        run->end = at + bytes;
      else
        add_late(&detail::destroy_run<T>, at, bytes);
      return reinterpret_cast<T*>(at);
    }
  }

  /// An empty run before the place of the next object, for which there is room.
  [[gnu::noinline]] detail::object_run* start_run(detail::object_run::destroy_function destroy,
                                                  std::size_t bytes, std::size_t align) {
    using run = detail::object_run;
    if (align < alignof(run)) align = alignof(run);
    const std::size_t offset = detail::bump_align(sizeof(run), align);
    auto* const at = static_cast<char*>(try_allocate(offset + bytes, align));
    if (at == nullptr) detail::raise(arena_exhausted(bytes, align, remaining()));
    front_.rewind(at + offset);
    return runs_ = ::new (at) run{runs_, destroy, at + offset, at + offset};
  }

  /// The constructor has made objects with destructors of its own, which were complete first.
  [[gnu::noinline, gnu::cold]] void add_late(detail::object_run::destroy_function destroy, char* at,
                                             std::size_t bytes) {
    using run = detail::object_run;
    void* const memory = try_allocate(sizeof(run), alignof(run));
    if (memory == nullptr) {
      destroy(at, at + bytes);
      detail::raise(arena_exhausted(sizeof(run), alignof(run), remaining()));
    }
    runs_ = ::new (memory) run{runs_, destroy, at, at + bytes};
  }

  /// Destructors may make objects here: they are destroyed too.
  void clear() noexcept {
    while (runs_ != &detail::no_objects) {
      const detail::object_run* const run = std::exchange(runs_, runs_->older);
      run->destroy(run->begin, run->end);
    }
    if (pieces_->current() == start_piece_) [[likely]]
      front_.rewind(start_);
    else
      pieces_->rewind(front_, start_piece_, start_);
  }

  [[gnu::noinline, gnu::cold, gnu::returns_nonnull]] void* allocate_slow(std::size_t bytes,
                                                                         std::size_t align) {
    void* const p = pieces_->try_allocate_slow(front_, bytes, align);
    if (p == nullptr) detail::raise(arena_exhausted(bytes, align, remaining()));
    return p;
  }

  detail::cursor_holder front_;
  detail::object_run* runs_ = &detail::no_objects;
  detail::cursor_holder* parent_;
  pieces* pieces_;
  char* start_;
  detail::arena_piece* start_piece_;
};

}  // namespace heapsmith
