// Contenders pool to soa_fixed_deque_pool: the kinds of heapsmith's typed pools.
#pragma once

#include <cstddef>
#include <string>

#include "heapsmith/heapsmith.h"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace bench {

template <bool IsFixed, bool Reuses>
struct own_kind {
  static constexpr bool is_fixed = IsFixed;
  static constexpr bool reuses = Reuses;
  static std::string version() { return hs_version(); }

  /// A pool, or a container in one. Only fixed ones take a capacity.
  template <class T>
  static T made(std::size_t capacity) {
    if constexpr (IsFixed)
      return T(capacity);
    else
      return T();
  }
};

struct own_fixed_deque_pool : own_kind<true, false> {
  static constexpr const char* name = "fixed_deque_pool";
  template <class T, class... Policies>
  using pool = heapsmith::fixed_deque_pool<T, Policies...>;
};

struct own_deque_pool : own_kind<false, false> {
  static constexpr const char* name = "deque_pool";
  template <class T, class... Policies>
  using pool = heapsmith::deque_pool<T, Policies...>;
};

struct own_fixed_pool : own_kind<true, true> {
  static constexpr const char* name = "fixed_pool";
  template <class T, class... Policies>
  using pool = heapsmith::fixed_pool<T, Policies...>;
};

struct own_pool : own_kind<false, true> {
  static constexpr const char* name = "pool";
  template <class T, class... Policies>
  using pool = heapsmith::pool<T, Policies...>;
};

struct own_soa_fixed_deque_pool : own_kind<true, false> {
  static constexpr const char* name = "soa_fixed_deque_pool";
  template <class T, class... Policies>
  using pool = heapsmith::soa_fixed_deque_pool<T, Policies...>;
};

struct own_soa_deque_pool : own_kind<false, false> {
  static constexpr const char* name = "soa_deque_pool";
  template <class T, class... Policies>
  using pool = heapsmith::soa_deque_pool<T, Policies...>;
};

struct own_soa_fixed_pool : own_kind<true, true> {
  static constexpr const char* name = "soa_fixed_pool";
  template <class T, class... Policies>
  using pool = heapsmith::soa_fixed_pool<T, Policies...>;
};

struct own_soa_pool : own_kind<false, true> {
  static constexpr const char* name = "soa_pool";
  template <class T, class... Policies>
  using pool = heapsmith::soa_pool<T, Policies...>;
};

}  // namespace bench
