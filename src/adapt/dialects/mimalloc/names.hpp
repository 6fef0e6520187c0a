// The functions of mimalloc that are served. own_names.hpp has the same list.
#pragma once

// clang-format off
#define HS_MIMALLOC_FUNCTIONS(F) \
  F(mi__expand) F(mi_abandoned_visit_blocks) F(mi_aligned_alloc) F(mi_aligned_offset_recalloc) \
  F(mi_aligned_recalloc) F(mi_arena_area) F(mi_arenas_print) F(mi_calloc) F(mi_calloc_aligned) \
  F(mi_calloc_aligned_at) F(mi_cfree) F(mi_check_owned) F(mi_collect) F(mi_collect_reduce) \
  F(mi_debug_show_arenas) F(mi_dupenv_s) F(mi_expand) F(mi_free) F(mi_free_aligned) \
  F(mi_free_size) F(mi_free_size_aligned) F(mi_free_small) F(mi_good_size) F(mi_heap_alloc_new) \
  F(mi_heap_alloc_new_n) F(mi_heap_calloc) F(mi_heap_calloc_aligned) \
  F(mi_heap_calloc_aligned_at) F(mi_heap_check_owned) F(mi_heap_collect) \
  F(mi_heap_contains_block) F(mi_heap_delete) F(mi_heap_destroy) F(mi_heap_get_backing) \
  F(mi_heap_get_default) F(mi_heap_guarded_set_sample_rate) F(mi_heap_guarded_set_size_bound) \
  F(mi_heap_malloc) F(mi_heap_malloc_aligned) F(mi_heap_malloc_aligned_at) \
  F(mi_heap_malloc_small) F(mi_heap_mallocn) F(mi_heap_new) F(mi_heap_new_ex) \
  F(mi_heap_new_in_arena) F(mi_heap_realloc) F(mi_heap_realloc_aligned) \
  F(mi_heap_realloc_aligned_at) F(mi_heap_reallocf) F(mi_heap_reallocn) F(mi_heap_realpath) \
  F(mi_heap_recalloc) F(mi_heap_recalloc_aligned) F(mi_heap_recalloc_aligned_at) \
  F(mi_heap_rezalloc) F(mi_heap_rezalloc_aligned) F(mi_heap_rezalloc_aligned_at) \
  F(mi_heap_set_default) F(mi_heap_strdup) F(mi_heap_strndup) F(mi_heap_try_new) \
  F(mi_heap_visit_blocks) F(mi_heap_zalloc) F(mi_heap_zalloc_aligned) \
  F(mi_heap_zalloc_aligned_at) F(mi_heap_zalloc_small) F(mi_is_in_heap_region) \
  F(mi_is_redirected) F(mi_malloc) F(mi_malloc_aligned) F(mi_malloc_aligned_at) \
  F(mi_malloc_good_size) F(mi_malloc_size) F(mi_malloc_small) F(mi_malloc_usable_size) \
  F(mi_mallocn) F(mi_manage_os_memory) F(mi_manage_os_memory_ex) F(mi_mbsdup) F(mi_memalign) \
  F(mi_new) F(mi_new_aligned) F(mi_new_aligned_nothrow) F(mi_new_n) F(mi_new_nothrow) \
  F(mi_new_realloc) F(mi_new_reallocn) F(mi_option_disable) F(mi_option_enable) \
  F(mi_option_get) F(mi_option_get_clamp) F(mi_option_get_size) F(mi_option_is_enabled) \
  F(mi_option_set) F(mi_option_set_default) F(mi_option_set_enabled) \
  F(mi_option_set_enabled_default) F(mi_options_print) F(mi_posix_memalign) F(mi_process_done) \
  F(mi_process_info) F(mi_process_init) F(mi_pvalloc) F(mi_realloc) F(mi_realloc_aligned) \
  F(mi_realloc_aligned_at) F(mi_reallocarr) F(mi_reallocarray) F(mi_reallocf) F(mi_reallocn) \
  F(mi_realpath) F(mi_recalloc) F(mi_recalloc_aligned) F(mi_recalloc_aligned_at) \
  F(mi_register_deferred_free) F(mi_register_error) F(mi_register_output) \
  F(mi_reserve_huge_os_pages) F(mi_reserve_huge_os_pages_at) F(mi_reserve_huge_os_pages_at_ex) \
  F(mi_reserve_huge_os_pages_interleave) F(mi_reserve_os_memory) F(mi_reserve_os_memory_ex) \
  F(mi_rezalloc) F(mi_rezalloc_aligned) F(mi_rezalloc_aligned_at) F(mi_stats_get) \
  F(mi_stats_get_json) F(mi_stats_merge) F(mi_stats_print) F(mi_stats_print_out) \
  F(mi_stats_reset) F(mi_strdup) F(mi_strndup) F(mi_subproc_add_current_thread) \
  F(mi_subproc_delete) F(mi_subproc_main) F(mi_subproc_new) F(mi_thread_done) F(mi_thread_init) \
  F(mi_thread_set_in_threadpool) F(mi_thread_stats_print_out) F(mi_ucalloc) F(mi_ufree) \
  F(mi_umalloc) F(mi_umalloc_aligned) F(mi_umalloc_small) \
  F(mi_unsafe_heap_page_is_under_utilized) F(mi_urealloc) F(mi_usable_size) \
  F(mi_uzalloc_aligned) F(mi_valloc) F(mi_version) F(mi_wcsdup) F(mi_wdupenv_s) F(mi_zalloc) \
  F(mi_zalloc_aligned) F(mi_zalloc_aligned_at) F(mi_zalloc_small)
// clang-format on
