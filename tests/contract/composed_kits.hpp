// How the contract suite makes pools, decorators and adaptors, and stacks them on each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>

#include "heapsmith/arena.hpp"
#include "heapsmith/concurrent_arena.hpp"
#include "heapsmith/counting.hpp"
#include "heapsmith/fallback.hpp"
#include "heapsmith/heap.hpp"
#include "heapsmith/inline_arena.hpp"
#include "heapsmith/limiting.hpp"
#include "heapsmith/logging.hpp"
#include "heapsmith/pmr.hpp"
#include "heapsmith/pool_resource.hpp"
#include "heapsmith/region.hpp"
#include "heapsmith/resource_ref.hpp"
#include "heapsmith/scope.hpp"
#include "kit.hpp"
#include "region_kits.hpp"

namespace heapsmith::contract {

template <class U>
struct own_upstream {
  U made{};
};
template <>
struct own_upstream<region> {
  region made{region_buffers::next(), region_buffers::bytes};
};

/// A resource with the upstream that it refers to.
template <class R, class U>
class stacked : private own_upstream<U>, public R {
 public:
  stacked() : R(this->made) {}
};

/// The suite can make the memory of the general heap scarce, and so that of resources over it.
template <class R>
struct on_heap : kit<global_heap> {
  static R make() { return R(); }
};
template <class R>
struct on_region : region_kit<R> {
  static R make() { return R(); }
};

template <class R>
struct on_arena : kit<default_resource> {
  static R make() { return R(); }
  struct scarcity {
    scarcity() {}
    explicit operator bool() const { return false; }  // an arena does not reuse freed blocks
  };
  static constexpr std::size_t largest = std::size_t{1}
                                         << 20;  // the suite's blocks are live at once
};

template <>
struct kit<unsynchronized_pool<global_heap>> : on_heap<unsynchronized_pool<global_heap>> {
  static constexpr const char* name = "unsynchronized_pool";
};
template <>
struct kit<synchronized_pool<global_heap>> : on_heap<synchronized_pool<global_heap>> {
  static constexpr const char* name = "synchronized_pool";
};
using small_pieces = unsynchronized_pool<global_heap, 1024>;
template <>
struct kit<small_pieces> : on_heap<small_pieces> {
  static constexpr const char* name = "pool_of_small_pieces";
};

using pool_over_pool = stacked<synchronized_pool<unsynchronized_pool<global_heap>, 2048>,
                               unsynchronized_pool<global_heap>>;
template <>
struct kit<pool_over_pool> : on_heap<pool_over_pool> {
  static constexpr const char* name = "pool_over_pool";
};

using pool_over_region = stacked<unsynchronized_pool<region>, region>;
template <>
struct kit<pool_over_region> : on_region<pool_over_region> {
  static constexpr const char* name = "pool_over_region";
};
using shared_pool_over_region = stacked<synchronized_pool<region, 4096>, region>;
template <>
struct kit<shared_pool_over_region> : on_region<shared_pool_over_region> {
  static constexpr const char* name = "synchronized_pool_over_region";
};

using small_buffer = inline_arena<64 * 1024>;
using pool_over_inline_arena = stacked<unsynchronized_pool<small_buffer, 4096>, small_buffer>;
template <>
struct kit<pool_over_inline_arena> : on_arena<pool_over_inline_arena> {
  static constexpr const char* name = "pool_over_arena_over_inline_buffer";
};

/// The arena's pieces are blocks of the region.
using arena_over_region = stacked<arena<region>, region>;
template <>
struct kit<arena_over_region> : on_arena<arena_over_region> {
  static constexpr const char* name = "arena_over_region";
};
using shared_arena_over_pool =
    stacked<concurrent_arena<synchronized_pool<global_heap>>, synchronized_pool<global_heap>>;
template <>
struct kit<shared_arena_over_pool> : on_arena<shared_arena_over_pool> {
  static constexpr const char* name = "concurrent_arena_over_synchronized_pool";
};
using pool_over_scope = stacked<unsynchronized_pool<scope<>>, scope<>>;
template <>
struct own_upstream<scope<>> {
  arena<> memory;
  scope<> made{memory};
};
template <>
struct kit<pool_over_scope> : on_arena<pool_over_scope> {
  static constexpr const char* name = "pool_over_scope";
};

using budgeted = counting<limiting<global_heap>>;
template <>
struct kit<budgeted> : on_heap<budgeted> {
  static constexpr const char* name = "counting_limiting";
  static budgeted make() { return budgeted(SIZE_MAX); }
};

struct silence {
  void operator()(const resource_event&) const noexcept {}
};
using silent = logging<global_heap, silence>;
template <>
struct kit<silent> : on_heap<silent> {
  static constexpr const char* name = "logging";
};

/// The heap serves if the buffer is full.
using cushioned = stacked<fallback<region, global_heap>, region>;
template <>
struct kit<cushioned> : region_kit<cushioned> {
  static constexpr const char* name = "fallback";
  static cushioned make() { return cushioned(); }
  struct scarcity : kit<global_heap>::scarcity {};
};

/// The first blocks lie in an arena that many threads share, the others on the heap.
using cushioned_arena = stacked<fallback<concurrent_arena<null_resource>, global_heap>,
                                concurrent_arena<null_resource>>;
template <>
struct own_upstream<concurrent_arena<null_resource>> {
  alignas(64) char buffer[64 * 1024];
  concurrent_arena<null_resource> made{buffer, sizeof buffer};
};
template <>
struct kit<cushioned_arena> : on_heap<cushioned_arena> {
  static constexpr const char* name = "fallback_from_concurrent_arena";
};

template <>
struct kit<resource_ref> : on_heap<resource_ref> {
  static constexpr const char* name = "resource_ref";
  static resource_ref make() {
    static global_heap heap;
    return heap;
  }
};
using ref_to_pool = stacked<resource_ref, synchronized_pool<global_heap>>;
template <>
struct kit<ref_to_pool> : on_heap<ref_to_pool> {
  static constexpr const char* name = "resource_ref_to_pool";
};
using ref_to_region = stacked<resource_ref, region>;
template <>
struct kit<ref_to_region> : on_region<ref_to_region> {
  static constexpr const char* name = "resource_ref_to_region";
};
using ref_to_budget = stacked<resource_ref, limiting<counting<global_heap>>>;
template <>
struct own_upstream<limiting<counting<global_heap>>> {
  limiting<counting<global_heap>> made{SIZE_MAX};
};
template <>
struct kit<ref_to_budget> : on_heap<ref_to_budget> {
  static constexpr const char* name = "resource_ref_to_limiting_counting";
};

template <>
struct kit<any_resource> : on_heap<any_resource> {
  static constexpr const char* name = "any_resource";
  static any_resource make() {
    return any_resource(std::in_place_type<unsynchronized_pool<global_heap>>);
  }
};

using from_pmr = pmr_adaptor<std::pmr::memory_resource>;
template <>
struct kit<from_pmr> : on_heap<from_pmr> {
  static constexpr const char* name = "pmr_adaptor";
  static from_pmr make() {
    static pmr_adaptor<global_heap> as_pmr;
    return from_pmr(as_pmr);
  }
};

/// Two adaptors: a memory_resource made of a resource, and a resource made of that.
using through_pmr = stacked<from_pmr, pmr_adaptor<unsynchronized_pool<global_heap>>>;
template <>
struct own_upstream<pmr_adaptor<unsynchronized_pool<global_heap>>> {
  unsynchronized_pool<global_heap> pool;
  pmr_adaptor<unsynchronized_pool<global_heap>> made{pool};
};
template <>
struct kit<through_pmr> : on_heap<through_pmr> {
  static constexpr const char* name = "pmr_adaptor_of_pmr_adaptor_of_pool";
};

using composed_resources =
    testing::Types<unsynchronized_pool<global_heap>, synchronized_pool<global_heap>, small_pieces,
                   pool_over_pool, pool_over_region, shared_pool_over_region,
                   pool_over_inline_arena, arena_over_region, shared_arena_over_pool,
                   pool_over_scope, budgeted, silent, cushioned, cushioned_arena, resource_ref,
                   ref_to_pool, ref_to_region, ref_to_budget, any_resource, from_pmr, through_pmr>;

static_assert(all_resettable<testing::Types<
                  unsynchronized_pool<global_heap>, synchronized_pool<global_heap>, small_pieces,
                  pool_over_pool, pool_over_region, shared_pool_over_region, pool_over_inline_arena,
                  arena_over_region, shared_arena_over_pool, pool_over_scope, limiting<region>,
                  limiting<heap>, counting<heap>, logging<heap>, synchronized<heap>>>);
static_assert(!resettable_resource<global_heap> && !resettable_resource<default_resource> &&
              !resettable_resource<null_resource> && !resettable_resource<cushioned> &&
              !resettable_resource<resource_ref> && !resettable_resource<any_resource> &&
              !resettable_resource<from_pmr> && !resettable_resource<budgeted>);

}  // namespace heapsmith::contract
