// The resources that the contract suite tests. Each has a `kit`, and its name in a list of types.
#pragma once

#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <sys/resource.h>
#endif

#include <cstddef>
#include <string>

#include "heapsmith/decorators.hpp"
#include "heapsmith/heap.hpp"
#include "heapsmith/resource.hpp"
#include "kit.hpp"
#include "region_kits.hpp"
#if !defined(_WIN32)
#include "shared_region_kit.hpp"
#endif

namespace heapsmith::contract {

template <>
struct kit<global_heap> {
  static constexpr const char* name = "global_heap";
  static global_heap make() { return {}; }

  class scarcity {
   public:
    scarcity() { hs_set_limit(held() + (std::size_t{8} << 20)); }
    ~scarcity() { hs_set_limit(0); }
    scarcity(const scarcity&) = delete;
    scarcity& operator=(const scarcity&) = delete;
    explicit operator bool() const { return true; }

   private:
    static std::size_t held() {
      const hs_statistics s = global_heap().stats();
      return s.slab_bytes + s.large_bytes + s.direct_bytes + s.cached_bytes + s.metadata_bytes;
    }
  };

  static constexpr std::size_t largest = std::size_t{64} << 20;
  static constexpr std::size_t refused = std::size_t{1} << 62;
  static constexpr bool reuses = true;
};

template <>
struct kit<heap> : kit<global_heap> {
  static constexpr const char* name = "heap";
  static heap make() { return heap(); }
};

template <>
struct kit<default_resource> {
  static constexpr const char* name = "default_resource";
  static default_resource make() { return {}; }

#if defined(_WIN32)
  /// No call of Windows limits the memory of its own process.
  struct scarcity {
    scarcity() {}
    explicit operator bool() const { return false; }
  };
#else
  /// Only the kernel can refuse memory to operator new. Sanitizers reserve more address space than
  /// any limit allows, and abort where malloc would return null.
  class scarcity {
   public:
    scarcity() {
#if defined(HEAPSMITH_UNDER_ASAN) || defined(HEAPSMITH_UNDER_TSAN)
      possible_ = false;
#else
      getrlimit(RLIMIT_AS, &before_);
      struct rlimit tight = before_;
      tight.rlim_cur = std::size_t{512} << 20;
      setrlimit(RLIMIT_AS, &tight);
#endif
    }
    ~scarcity() {
      if (possible_) setrlimit(RLIMIT_AS, &before_);
    }
    scarcity(const scarcity&) = delete;
    scarcity& operator=(const scarcity&) = delete;
    explicit operator bool() const { return possible_; }

   private:
    bool possible_ = true;
    struct rlimit before_ = {};
  };
#endif

  static constexpr std::size_t largest = std::size_t{64} << 20;
#if defined(HEAPSMITH_UNDER_ASAN) || defined(HEAPSMITH_UNDER_TSAN)
  static constexpr std::size_t refused = 0;
  static constexpr bool reuses = false;  // freed memory stays in quarantine
#else
  static constexpr std::size_t refused = std::size_t{1} << 62;
  static constexpr bool reuses = true;
#endif
};

template <>
struct kit<synchronized<default_resource>> : kit<default_resource> {
  static constexpr const char* name = "synchronized";
  static synchronized<default_resource> make() { return {}; }
};

}  // namespace heapsmith::contract

#if defined(HS_CONTRACT_COMPOSED)
#include "composed_kits.hpp"
#elif defined(HS_CONTRACT_ARENAS)
#include "arena_kits.hpp"
#endif

namespace heapsmith::contract {

// Three programs: one would take minutes to compile.
#if defined(HS_CONTRACT_COMPOSED)
using resources = composed_resources;
#elif defined(HS_CONTRACT_ARENAS)
using resources = arena_resources;
#elif defined(_WIN32)
using resources = testing::Types<global_heap, default_resource, synchronized<default_resource>,
                                 region, synchronized_region, concurrent_region>;
#else
using resources =
    testing::Types<global_heap, heap, default_resource, synchronized<default_resource>, region,
                   synchronized_region, concurrent_region, shared_region>;

static_assert(resettable_resource<region>);
static_assert(resettable_resource<synchronized_region>);
static_assert(resettable_resource<concurrent_region>);
static_assert(resettable_resource<shared_region>);
#endif

struct names {
  template <class R>
  static std::string GetName(int) {
    return kit<R>::name;
  }
};

}  // namespace heapsmith::contract
