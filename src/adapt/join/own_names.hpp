// Renames the functions of the heap's C API where libheapsmith.so implements them: join.cpp exports
// their names. Included before everything else by the compiler's option -include.
#pragma once

// NOLINTBEGIN(readability-identifier-naming)
#define hs_malloc own_hs_malloc
#define hs_calloc own_hs_calloc
#define hs_realloc own_hs_realloc
#define hs_reallocarray own_hs_reallocarray
#define hs_aligned_realloc own_hs_aligned_realloc
#define hs_free own_hs_free
#define hs_free_sized own_hs_free_sized
#define hs_free_aligned_sized own_hs_free_aligned_sized
#define hs_cfree own_hs_cfree
#define hs_memalign own_hs_memalign
#define hs_aligned_alloc own_hs_aligned_alloc
#define hs_posix_memalign own_hs_posix_memalign
#define hs_valloc own_hs_valloc
#define hs_pvalloc own_hs_pvalloc
#define hs_malloc_usable_size own_hs_malloc_usable_size
#define hs_good_size own_hs_good_size
#define hs_try_expand own_hs_try_expand
#define hs_purge own_hs_purge
#define hs_thread_purge own_hs_thread_purge
#define hs_prefault own_hs_prefault
#define hs_set_limit own_hs_set_limit
#define hs_stats own_hs_stats
#define hs_version own_hs_version
#define hs_malloc_trim own_hs_malloc_trim
#define hs_malloc_stats own_hs_malloc_stats
#define hs_malloc_info own_hs_malloc_info
#define hs_mallopt own_hs_mallopt
#define hs_heap_create own_hs_heap_create
#define hs_heap_destroy own_hs_heap_destroy
#define hs_heap_reset own_hs_heap_reset
#define hs_heap_malloc own_hs_heap_malloc
#define hs_heap_calloc own_hs_heap_calloc
#define hs_heap_aligned_alloc own_hs_heap_aligned_alloc
#define hs_heap_realloc own_hs_heap_realloc
#define hs_heap_free own_hs_heap_free
#define hs_heap_set_limit own_hs_heap_set_limit
#define hs_heap_stats own_hs_heap_stats
#define hs_trace_start own_hs_trace_start
#define hs_trace_stop own_hs_trace_stop
// NOLINTEND(readability-identifier-naming)
