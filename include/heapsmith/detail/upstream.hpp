// How a resource holds the one it takes its memory from: a handle by value, the others by
// reference.
#pragma once

#include <concepts>

#include "heapsmith/detail/address.hpp"

namespace heapsmith::detail {

/// Resources neither copy nor move, so what can be copied is a handle to something that outlives
/// it: default_resource, global_heap, resource_ref.
template <class R>
concept resource_handle = std::copy_constructible<R>;

/// The upstream `R` of a resource. A handle is copied; any other must outlive this object.
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

  /// Const, as through a pointer: to use a handle does not change it.
  R& operator*() const noexcept { return handle_; }
  R* operator->() const noexcept { return address_of(handle_); }

 private:
  [[no_unique_address]] mutable R handle_;
};

}  // namespace heapsmith::detail
