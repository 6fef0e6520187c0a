// The model build's atomics: the names of src/base/atomic.hpp, each operation a step of the
// checker.
#pragma once

#include "checker/engine.hpp"
#include "checker/plain.hpp"

#include <bit>
#include <type_traits>

namespace heapsmith {

template <class T>
using plain = model::plain<T>;

using memory_order = std::memory_order;
inline constexpr memory_order relaxed = std::memory_order_relaxed;
inline constexpr memory_order acquire = std::memory_order_acquire;
inline constexpr memory_order release = std::memory_order_release;
inline constexpr memory_order acq_rel = std::memory_order_acq_rel;
inline constexpr memory_order seq_cst = std::memory_order_seq_cst;

/// As large as T, so that layouts the library asserts still hold. The value lives in the checker.
template <class T>
class atomic {
  using where_t = std::source_location;
  using model_t = model::engine;

  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  static constexpr std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * sizeof(T));

 public:
  constexpr atomic() noexcept : atomic(T{}) {}
  constexpr atomic(T value) noexcept : initial_(value) {
    if (!std::is_constant_evaluated() && model_t::current() != nullptr)
      model_t::current()->create(this, bits(value));
  }
  constexpr ~atomic() {
    if (!std::is_constant_evaluated() && model_t::current() != nullptr)
      model_t::current()->destroy(this);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(memory_order o, where_t where = where_t::current()) const {
    return value(model_t::current()->load(self(), o, where));
  }
  void store(T v, memory_order o, where_t where = where_t::current()) {
    model_t::current()->store(self(), bits(v), o, where);
  }
  T exchange(T v, memory_order o, where_t where = where_t::current()) {
    return rmw(model::rmw_kind::exchange, v, o, where);
  }
  T fetch_add(T v, memory_order o, where_t where = where_t::current()) {
    return rmw(model::rmw_kind::add, v, o, where);
  }
  T fetch_sub(T v, memory_order o, where_t where = where_t::current()) {
    return rmw(model::rmw_kind::sub, v, o, where);
  }
  T fetch_and(T v, memory_order o, where_t where = where_t::current()) {
    return rmw(model::rmw_kind::bit_and, v, o, where);
  }
  T fetch_or(T v, memory_order o, where_t where = where_t::current()) {
    return rmw(model::rmw_kind::bit_or, v, o, where);
  }
  T fetch_xor(T v, memory_order o, where_t where = where_t::current()) {
    return rmw(model::rmw_kind::bit_xor, v, o, where);
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure,
                               where_t where = where_t::current()) {
    return compare_exchange(expected, desired, false, success, failure, where);
  }
  bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure,
                             where_t where = where_t::current()) {
    return compare_exchange(expected, desired, true, success, failure, where);
  }

 private:
  const void* self() const {
    model_t::current()->know(this, bits(initial_));
    return this;
  }
  static constexpr std::uint64_t bits(T v) {
    if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<std::uintptr_t>(v);
    else
      return static_cast<std::uint64_t>(v) & mask;
  }
  static T value(std::uint64_t b) {
    if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<T>(b);
    else
      return static_cast<T>(b);
  }
  T rmw(model::rmw_kind kind, T v, memory_order o, where_t where) {
    return value(model_t::current()->rmw(self(), kind, bits(v), mask, o, where));
  }
  bool compare_exchange(T& expected, T desired, bool weak, memory_order success,
                        memory_order failure, where_t where) {
    std::uint64_t seen = bits(expected);
    const bool done = model_t::current()->compare_exchange(self(), seen, bits(desired), weak,
                                                           success, failure, where);
    expected = value(seen);
    return done;
  }

  T initial_;
};

template <class T>
bool is_below(std::type_identity_t<T> n, const atomic<T>& bound) {
  return n < bound.load(relaxed);
}

inline void thread_fence(memory_order o,
                         std::source_location where = std::source_location::current()) {
  model::engine::current()->fence(o, where);
}

}  // namespace heapsmith
