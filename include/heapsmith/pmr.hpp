// Between resources and std::pmr, both ways: pmr_adaptor.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory_resource>

#include "heapsmith/detail/address.hpp"
#include "heapsmith/detail/upstream.hpp"
#include "heapsmith/resource.hpp"

namespace heapsmith {

/**
 * A resource as a std::pmr::memory_resource, for std::pmr's containers.
 *
 * A resource that can be copied (default_resource, global_heap, resource_ref) is copied; any other
 * is referred to and must outlive this object. Costs the virtual call that std::pmr is made of.
 * Neither copies nor moves.
 *
 * Errors and thread safety: those of the resource.
 * Equal (is_equal): adaptors of one resource, or of copies that are equal. Needs type information.
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
  /// Over a resource that needs no object, such as default_resource.
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

  /// Returns: the resource that this adapts.
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
    const auto* same = dynamic_cast<const pmr_adaptor*>(&other);
    if (same == nullptr) return false;
    if constexpr (detail::resource_handle<R> && std::equality_comparable<R>)
      return base() == same->base();
    else
      return !detail::resource_handle<R> &&
             detail::address_of(base()) == detail::address_of(same->base());
  }

  [[no_unique_address]] detail::upstream<R> resource_;
};

/**
 * A std::pmr::memory_resource as a resource: the upstream of pools and arenas, or the memory of a
 * resource_allocator.
 *
 * A handle: one pointer, copied freely. The memory_resource must outlive it.
 *
 * Errors: what the memory_resource throws; try_allocate returns nullptr instead of std::bad_alloc
 * and anything else that is thrown. Thread safety: that of the memory_resource.
 * Equal: handles to memory_resources that are equal.
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
    try {
      return memory_->allocate(some(bytes), align);
    } catch (...) {
      return nullptr;
    }
  }

  void deallocate(void* p, std::size_t bytes, std::size_t align = default_align) noexcept {
    memory_->deallocate(p, some(bytes), align);
  }

  /// Returns: the memory_resource that this adapts.
  [[nodiscard]] std::pmr::memory_resource& base() const noexcept { return *memory_; }

  friend bool operator==(const pmr_adaptor& a, const pmr_adaptor& b) noexcept {
    return *a.memory_ == *b.memory_;
  }

 private:
  static constexpr std::size_t default_align = alignof(std::max_align_t);

  /// Blocks of no bytes need not be unique in std::pmr.
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
