// Contenders pool-fixed to soa_free_list-growable: the kinds of heapsmith's typed pools.
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

struct pool_fixed : own_kind<true, false> {
  static constexpr const char* name = "pool-fixed";
  template <class T, class... Policies>
  using pool = heapsmith::pool_fixed<T, Policies...>;
};

struct pool_growable : own_kind<false, false> {
  static constexpr const char* name = "pool-growable";
  template <class T, class... Policies>
  using pool = heapsmith::pool_growable<T, Policies...>;
};

struct free_list_fixed : own_kind<true, true> {
  static constexpr const char* name = "free_list-fixed";
  template <class T, class... Policies>
  using pool = heapsmith::free_list_fixed<T, Policies...>;
};

struct free_list_growable : own_kind<false, true> {
  static constexpr const char* name = "free_list-growable";
  template <class T, class... Policies>
  using pool = heapsmith::free_list_growable<T, Policies...>;
};

struct soa_fixed : own_kind<true, false> {
  static constexpr const char* name = "soa-fixed";
  template <class T, class... Policies>
  using pool = heapsmith::soa_fixed<T, Policies...>;
};

struct soa_growable : own_kind<false, false> {
  static constexpr const char* name = "soa-growable";
  template <class T, class... Policies>
  using pool = heapsmith::soa_growable<T, Policies...>;
};

struct soa_free_list_fixed : own_kind<true, true> {
  static constexpr const char* name = "soa_free_list-fixed";
  template <class T, class... Policies>
  using pool = heapsmith::soa_free_list_fixed<T, Policies...>;
};

struct soa_free_list_growable : own_kind<false, true> {
  static constexpr const char* name = "soa_free_list-growable";
  template <class T, class... Policies>
  using pool = heapsmith::soa_free_list_growable<T, Policies...>;
};

}  // namespace bench
