// How a resource holds its upstream: a handle by value, other resources by reference.
#pragma once

#include <concepts>

#include "heapsmith/detail/address.hpp"

namespace heapsmith::detail {

/// A resource that can be copied is a handle: default_resource, global_heap, resource_ref. Other
/// resources neither copy nor move.
template <class R>
concept resource_handle = std::copy_constructible<R>;

/// The upstream of a resource. A handle is copied; any other upstream must outlive this object.
template <class R>
class upstream {
 public:
  explicit upstream(R& r) noexcept : referred_(address_of(r)) {}

  R& operator*() const noexcept { return *referred_; }
  R* operator->() const noexcept { return referred_; }

 private:
  R* referred_;
};

template <resource_handle R>
class upstream<R> {
 public:
  upstream() noexcept
    requires std::default_initializable<R>
  = default;
  explicit upstream(const R& r) noexcept : handle_(r) {}

  /// Const, as with a pointer: using the handle does not change this object.
  R& operator*() const noexcept { return handle_; }
  R* operator->() const noexcept { return address_of(handle_); }

 private:
  [[no_unique_address]] mutable R handle_;
};

}  // namespace heapsmith::detail
