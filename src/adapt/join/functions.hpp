// The functions of the heap's C API. own_names.hpp has the same list.
#pragma once

// clang-format off
#define HS_HEAP_FUNCTIONS(F) \
  F(hs_malloc) F(hs_calloc) F(hs_realloc) F(hs_reallocarray) F(hs_aligned_realloc) F(hs_free) \
  F(hs_free_sized) F(hs_free_aligned_sized) F(hs_cfree) F(hs_memalign) F(hs_aligned_alloc) \
  F(hs_posix_memalign) F(hs_valloc) F(hs_pvalloc) F(hs_malloc_usable_size) F(hs_good_size) \
  F(hs_try_expand) F(hs_purge) F(hs_thread_purge) F(hs_prefault) F(hs_set_limit) F(hs_stats) \
  F(hs_version) F(hs_malloc_trim) F(hs_malloc_stats) F(hs_malloc_info) F(hs_mallopt) \
  F(hs_heap_create) F(hs_heap_destroy) F(hs_heap_reset) F(hs_heap_malloc) F(hs_heap_calloc) \
  F(hs_heap_aligned_alloc) F(hs_heap_realloc) F(hs_heap_free) F(hs_heap_set_limit) \
  F(hs_heap_stats) F(hs_trace_start) F(hs_trace_stop)
// clang-format on
