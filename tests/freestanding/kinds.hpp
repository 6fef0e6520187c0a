// The two kinds of regions over memory, so that one test runs over both.
#pragma once

#include "heapsmith/region.h"
#include "heapsmith/small_region.h"

// The calls of a kind under short names, as heapsmith::fine_bins has them in a hosted program.
#define HS_TEST_KIND(KIND, PREFIX)                                                                 \
  struct KIND {                                                                                    \
    using control = PREFIX;                                                                        \
    static constexpr auto init = PREFIX##_init;                                                    \
    static constexpr auto add_memory = PREFIX##_add_memory;                                        \
    static constexpr auto allocate = PREFIX##_malloc;                                              \
    static constexpr auto zeroed = PREFIX##_calloc;                                                \
    static constexpr auto aligned = PREFIX##_aligned_alloc;                                        \
    static constexpr auto deallocate = PREFIX##_free;                                              \
    static constexpr auto reallocate = PREFIX##_realloc;                                           \
    static constexpr auto try_expand = PREFIX##_try_expand;                                        \
    static constexpr auto usable_size = PREFIX##_usable_size;                                      \
    static constexpr auto owns = PREFIX##_owns;                                                    \
    static constexpr auto reset = PREFIX##_reset;                                                  \
    static constexpr auto destroy = PREFIX##_destroy;                                              \
    static constexpr auto defragment = PREFIX##_defragment;                                        \
    static constexpr auto limit_deferred = PREFIX##_limit_deferred;                                \
    static constexpr auto stats = PREFIX##_stats;                                                  \
    static constexpr auto survey = PREFIX##_survey_blocks;                                         \
    static constexpr auto visit = PREFIX##_for_each_block;                                         \
    static constexpr auto check = PREFIX##_check;                                                  \
  }

HS_TEST_KIND(fine, hs_region);
HS_TEST_KIND(coarse, hs_small_region);

#undef HS_TEST_KIND
