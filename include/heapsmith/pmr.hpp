// pmr_adaptor: resources for std::pmr, and std::pmr's memory resources as resources.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <concepts>
#include <cstddef>
#include <memory_resource>

#include "heapsmith/detail/address.hpp"
#include "heapsmith/detail/upstream.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * Makes a std::pmr::memory_resource of a resource, for std::pmr's containers.
 *
 * A resource that can be copied (default_resource, global_heap, resource_ref) is copied. The
 * adaptor refers to any other resource, which must outlive it. Each operation costs the virtual
 * call of std::pmr. Neither copies nor moves.
 *
 * Errors and thread safety: those of the resource.
 * Equal (is_equal): adaptors of the same resource, or of equal copies. Without run-time type
 * information, an adaptor is equal to itself only.
 *
 * ```cpp
 * heapsmith::unsynchronized_pool pool;
 * heapsmith::pmr_adaptor adaptor(pool);
 * std::pmr::list<int> numbers(&adaptor);
 * ```
 */
template <class R>
class pmr_adaptor final : public std::pmr::memory_resource {
  static_assert(resource<R>);

 public:
  /// Effects: uses a default-constructed resource, such as default_resource.
  pmr_adaptor()
    requires detail::resource_handle<R> && std::default_initializable<R>
  = default;

  explicit pmr_adaptor(R& r) noexcept
    requires(!detail::resource_handle<R>)
      : resource_(r) {}
  explicit pmr_adaptor(const R& r) noexcept
    requires detail::resource_handle<R>
      : resource_(r) {}

  pmr_adaptor(const pmr_adaptor&) = delete;
  pmr_adaptor& operator=(const pmr_adaptor&) = delete;
  ~pmr_adaptor() override = default;

  /// Returns: the resource.
  [[nodiscard]] R& base() const noexcept { return *resource_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override {
    return resource_->allocate(bytes, align);
  }

  void do_deallocate(void* p, std::size_t bytes, std::size_t align) override {
    resource_->deallocate(p, bytes, align);
  }

  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    if (this == &other) return true;
#if defined(__cpp_rtti)
    const auto* same = dynamic_cast<const pmr_adaptor*>(&other);
    if (same == nullptr) return false;
    if constexpr (detail::resource_handle<R> && std::equality_comparable<R>)
      return base() == same->base();
    else
      return !detail::resource_handle<R> &&
             detail::address_of(base()) == detail::address_of(same->base());
#else
    return false;
#endif
  }

  [[no_unique_address]] detail::upstream<R> resource_;
};

/**
 * Makes a resource of a std::pmr::memory_resource: an upstream for pools and arenas, or the
 * resource of a resource_allocator.
 *
 * It is a pointer, and cheap to copy. The memory_resource must outlive it.
 *
 * Errors: allocate() throws what the memory_resource throws; try_allocate() returns nullptr
 * instead. Thread safety: that of the memory_resource. Equal: adaptors of equal memory_resources.
 *
 * ```cpp
 * heapsmith::pmr_adaptor upstream(*std::pmr::get_default_resource());
 * heapsmith::unsynchronized_pool pool(upstream);
 * ```
 */
template <>
class pmr_adaptor<std::pmr::memory_resource> {
 public:
  explicit pmr_adaptor(std::pmr::memory_resource& m) noexcept : memory_(&m) {}

  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t align = default_align) {
    return memory_->allocate(some(bytes), align);
  }

  [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t align = default_align) noexcept {
#if defined(__cpp_exceptions)
    try {
      return memory_->allocate(some(bytes), align);
    } catch (...) {
      return nullptr;
    }
#else
    return memory_->allocate(some(bytes), align);
#endif
  }

  /// Effects: frees the block at `p`; does nothing if `p` is nullptr, which memory_resource
  /// refuses.
  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    if (p != nullptr) memory_->deallocate(p, some(bytes), align);
  }

  /// Returns: the memory_resource.
  [[nodiscard]] std::pmr::memory_resource& base() const noexcept { return *memory_; }

  friend bool operator==(const pmr_adaptor& a, const pmr_adaptor& b) noexcept {
    return *a.memory_ == *b.memory_;
  }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  /// std::pmr does not promise unique addresses for blocks of 0 bytes.
  static constexpr std::size_t some(std::size_t bytes) { return bytes + (bytes == 0); }

  std::pmr::memory_resource* memory_;
};

template <std::derived_from<std::pmr::memory_resource> M>
pmr_adaptor(M&) -> pmr_adaptor<std::pmr::memory_resource>;
template <resource R>
pmr_adaptor(R&) -> pmr_adaptor<R>;
template <resource R>
pmr_adaptor(const R&) -> pmr_adaptor<R>;

static_assert(resource<pmr_adaptor<std::pmr::memory_resource>>);

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
