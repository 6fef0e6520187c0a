// A region with 512 bytes of control data, for little memory.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include "heapsmith/region.hpp"
#include "heapsmith/small_region.h"

namespace heapsmith {

/// The bins of hs_small_region: for buffers below 1 MiB, with 512 bytes of control data.
struct coarse_bins {
  using control = hs_small_region;
  static constexpr unsigned caches = 4, cached_sizes = 8;
  static constexpr auto init = hs_small_region_init;
  static constexpr auto add_memory = hs_small_region_add_memory;
  static constexpr auto malloc = hs_small_region_malloc;
  static constexpr auto calloc = hs_small_region_calloc;
  static constexpr auto aligned_alloc = hs_small_region_aligned_alloc;
  static constexpr auto free = hs_small_region_free;
  static constexpr auto realloc = hs_small_region_realloc;
  static constexpr auto aligned_realloc = hs_small_region_aligned_realloc;
  static constexpr auto try_expand = hs_small_region_try_expand;
  static constexpr auto usable_size = hs_small_region_usable_size;
  static constexpr auto owns = hs_small_region_owns;
  static constexpr auto reset = hs_small_region_reset;
  static constexpr auto destroy = hs_small_region_destroy;
  static constexpr auto defragment = hs_small_region_defragment;
  static constexpr auto limit_deferred = hs_small_region_limit_deferred;
  static constexpr auto stats = hs_small_region_stats;
  static constexpr auto survey_blocks = hs_small_region_survey_blocks;
  static constexpr auto for_each_block = hs_small_region_for_each_block;
  static constexpr auto check = hs_small_region_check;
};

/**
 * A region for little memory: as `region`, with a thirty-second of its control data. It wraps
 * hs_small_region.
 *
 * A small region has at most 2 buffers that do not adjoin, each below 1 MiB. It defers freed blocks
 * of up to 120 bytes. Free blocks of 256 bytes and more are found in up to 16 steps.
 *
 * Errors: the constructor throws std::bad_alloc, and init and add_memory return false, also if the
 * buffer is too large. Everything else is as in `region`.
 * Thread safety: none; `synchronized<small_region>` is for several threads.
 *
 * ```cpp
 * static unsigned char memory[4096];
 * heapsmith::small_region region(memory, sizeof memory);
 * void* p = region.allocate(100);
 * region.deallocate(p);
 * ```
 */
using small_region = basic_region<coarse_bins>;

static_assert(sizeof(small_region) == HS_SMALL_REGION_BYTES);
static_assert(reallocating_resource<small_region> && owning_resource<small_region> &&
              resettable_resource<small_region> && measured_resource<small_region>);

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
