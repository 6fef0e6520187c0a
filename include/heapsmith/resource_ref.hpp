// One type for all resources: resource_ref refers to a resource, any_resource owns one.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "heapsmith/detail/address.hpp"
#include "heapsmith/detail/lifetime.hpp"
#include "heapsmith/detail/move_block.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

namespace detail {

/// The operations of a resource whose type is erased. Null: the resource does not have it.
struct resource_table {
  void* (*allocate)(void*, std::size_t, std::size_t);
  void* (*try_allocate)(void*, std::size_t, std::size_t) noexcept;
  void (*deallocate)(void*, void*, std::size_t, std::size_t) noexcept;
  bool (*try_expand)(void*, void*, std::size_t, std::size_t, std::size_t) noexcept;
  void* (*reallocate)(void*, void*, std::size_t, std::size_t, std::size_t);
  sized_block (*allocate_at_least)(void*, std::size_t, std::size_t);
  bool (*equals)(const void*, const void*);
};

template <resource R>
constexpr resource_table make_resource_table() {
  resource_table t = {};
  t.allocate = [](void* r, std::size_t bytes, std::size_t align) {
    return static_cast<R*>(r)->allocate(bytes, align);
  };
  t.try_allocate = [](void* r, std::size_t bytes, std::size_t align) noexcept {
    return static_cast<R*>(r)->try_allocate(bytes, align);
  };
  t.deallocate = [](void* r, void* p, std::size_t bytes, std::size_t align) noexcept {
    static_cast<R*>(r)->deallocate(p, bytes, align);
  };
  if constexpr (expanding_resource<R>)
    t.try_expand = [](void* r, void* p, std::size_t from, std::size_t to,
                      std::size_t align) noexcept {
      return static_cast<R*>(r)->try_expand(p, from, to, align);
    };
  if constexpr (reallocating_resource<R>)
    t.reallocate = [](void* r, void* p, std::size_t from, std::size_t to, std::size_t align) {
      return static_cast<R*>(r)->reallocate(p, from, to, align);
    };
  if constexpr (generous_resource<R>)
    t.allocate_at_least = [](void* r, std::size_t bytes, std::size_t align) {
      return static_cast<R*>(r)->allocate_at_least(bytes, align);
    };
  if constexpr (std::equality_comparable<R>)
    t.equals = [](const void* a, const void* b) -> bool {
      return *static_cast<const R*>(a) == *static_cast<const R*>(b);
    };
  return t;
}

template <resource R>
inline constexpr resource_table table_of_resource = make_resource_table<R>();

}  // namespace detail

class any_resource;

/**
 * Refers to a resource of any type. Use it where a template is not possible: in the interface of a
 * compiled library, or for a choice at run time.
 *
 * It consists of two pointers and is cheap to copy. Each operation is a call through one of them.
 * The resource must outlive its references.
 *
 * # Operations
 * Those of a resource, and try_expand, reallocate and allocate_at_least. If the resource lacks one
 * of these, try_expand returns false, reallocate moves the block, and allocate_at_least returns a
 * block of the requested size. Not release, reset, owns and stats: call them on the resource.
 *
 * Errors and thread safety: those of the resource.
 * Equal: references to the same resource, or to two equal resources of one type.
 * Source: std::pmr::memory_resource with the table beside the object, as in Rust's trait objects.
 *
 * ```cpp
 * void parse(std::string_view text, heapsmith::resource_ref memory);
 * heapsmith::unsynchronized_pool pool;
 * parse(text, pool);
 * ```
 */
class resource_ref {
 public:
  /// Refers to `r`. A resource_ref is copied instead.
  template <resource R>
    requires(!std::same_as<R, resource_ref> && !std::same_as<R, any_resource>)
  resource_ref(R& r HS_LIFETIMEBOUND) noexcept  // implicit, so that any resource can be passed
      : object_(detail::address_of(r)), table_(&detail::table_of_resource<R>) {}

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    return table_->allocate(object_, bytes, align);
  }

  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    return table_->try_allocate(object_, bytes, align);
  }

  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    table_->deallocate(object_, p, bytes, align);
  }

  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept {
    return table_->try_expand != nullptr &&
           table_->try_expand(object_, p, old_bytes, new_bytes, align);
  }

  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = default_align) {
    if (table_->reallocate != nullptr)
      return table_->reallocate(object_, p, old_bytes, new_bytes, align);
    if (try_expand(p, old_bytes, new_bytes, align)) return p;
    return detail::move_block(*this, *this, p, old_bytes, new_bytes, align);
  }

  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = default_align) {
    if (table_->allocate_at_least != nullptr)
      return table_->allocate_at_least(object_, bytes, align);
    return {allocate(bytes, align), bytes};
  }

  friend bool operator==(const resource_ref& a, const resource_ref& b) noexcept {
    return a.table_ == b.table_ &&
           (a.object_ == b.object_ ||
            (a.table_->equals != nullptr && a.table_->equals(a.object_, b.object_)));
  }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  void* object_;
  const detail::resource_table* table_;
};

/**
 * Owns a resource of any type.
 *
 * A small resource lies in this object, a large one in a block of the upstream. Neither copies nor
 * moves.
 *
 * # Operations
 * Those of resource_ref, to which it converts.
 *
 * Errors: those of the resource. The constructor throws what the resource's constructor or the
 * upstream throws.
 * Thread safety: that of the resource.
 *
 * ```cpp
 * heapsmith::any_resource memory(std::in_place_type<heapsmith::unsynchronized_pool<>>);
 * void* p = memory.allocate(100);
 * memory.deallocate(p, 100);
 * ```
 */
class any_resource {
  /// Only this class can name the constructor that std::optional calls.
  class taken {
    friend class any_resource;
    explicit taken(void* p) noexcept : at(p) {}
    void* at;
  };

 public:
  /// Effects: constructs an `R` from the arguments. If it is not small, its memory comes from
  /// operator new.
  template <resource R, class... Arguments>
    requires std::constructible_from<R, Arguments...>
  explicit any_resource(std::in_place_type_t<R> type, Arguments&&... arguments)
      : any_resource(operator_new, type, std::forward<Arguments>(arguments)...) {}

  /// Effects: the same, with memory from `upstream`, which must outlive this object.
  template <resource R, class... Arguments>
    requires std::constructible_from<R, Arguments...>
  any_resource(resource_ref upstream HS_LIFETIMEBOUND, std::in_place_type_t<R> type,
               Arguments&&... arguments)
      : any_resource(taken(fits<R> ? nullptr : upstream.allocate(sizeof(R), alignof(R))), upstream,
                     type, std::forward<Arguments>(arguments)...) {}

  /// Returns: an owner of an `R` with memory from `upstream`, or nothing if there is no memory.
  template <resource R, class... Arguments>
    requires std::is_nothrow_constructible_v<R, Arguments...>
  [[nodiscard]] static std::optional<any_resource>
  try_create(resource_ref upstream HS_LIFETIMEBOUND, std::in_place_type_t<R> type,
             Arguments&&... arguments) noexcept {
    void* const p = fits<R> ? nullptr : upstream.try_allocate(sizeof(R), alignof(R));
    if (!fits<R> && p == nullptr) return std::nullopt;
    return std::optional<any_resource>(std::in_place, taken(p), upstream, type,
                                       std::forward<Arguments>(arguments)...);
  }

  any_resource(const any_resource&) = delete;
  any_resource& operator=(const any_resource&) = delete;
  ~any_resource() { destroy_(*this); }

  template <resource R, class... Arguments>
  any_resource(taken memory, resource_ref upstream HS_LIFETIMEBOUND, std::in_place_type_t<R>,
               Arguments&&... arguments)
      : upstream_(upstream),
        memory_(fits<R> ? buffer_ : memory.at),
        resource_(construct<R>(std::forward<Arguments>(arguments)...)),
        destroy_(&destroy<R>) {}

  operator resource_ref() noexcept HS_LIFETIMEBOUND { return resource_; }

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    return resource_.allocate(bytes, align);
  }
  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
    return resource_.try_allocate(bytes, align);
  }
  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    resource_.deallocate(p, bytes, align);
  }
  [[nodiscard]] bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                std::size_t align = default_align) noexcept {
    return resource_.try_expand(p, old_bytes, new_bytes, align);
  }
  [[nodiscard]] void* reallocate(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                 std::size_t align = default_align) {
    return resource_.reallocate(p, old_bytes, new_bytes, align);
  }
  [[nodiscard]] sized_block allocate_at_least(std::size_t bytes,
                                              std::size_t align = default_align) {
    return resource_.allocate_at_least(bytes, align);
  }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);
  static constexpr std::size_t inline_bytes = 64;

  template <class R>
  static constexpr bool fits = sizeof(R) <= inline_bytes && alignof(R) <= default_align;

  static inline constinit default_resource operator_new;

  /// Deallocates the memory of an `R` if its constructor throws.
  template <class R>
  struct pending {
    ~pending() {
      if (owner != nullptr) owner->template deallocate_memory<R>();
    }
    any_resource* owner;
  };

  template <class R, class... Arguments>
  R& construct(Arguments&&... arguments) {
    pending<R> memory{this};
    R& made = *new (memory_) R(std::forward<Arguments>(arguments)...);
    memory.owner = nullptr;
    return made;
  }

  template <class R>
  static void destroy(any_resource& self) noexcept {
    static_cast<R*>(self.memory_)->~R();
    self.deallocate_memory<R>();
  }

  template <class R>
  void deallocate_memory() noexcept {
    if constexpr (!fits<R>) upstream_.deallocate(memory_, sizeof(R), alignof(R));
  }

  alignas(default_align) unsigned char buffer_[inline_bytes];
  resource_ref upstream_;
  void* memory_;
  resource_ref resource_;
  void (*destroy_)(any_resource&) noexcept;
};

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
