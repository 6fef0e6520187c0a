/* The C interface of mimalloc 2.0 to 2.4, as its manual describes it. docs/dialects.md says which
 * effect it has here. */
#ifndef HEAPSMITH_DIALECTS_MIMALLOC_FUNCTIONS_H
#define HEAPSMITH_DIALECTS_MIMALLOC_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mi_heap_s mi_heap_t;
typedef struct mi_heap_area_s mi_heap_area_t;
typedef void mi_output_fun(const char* text, void* with);
typedef void mi_error_fun(int error, void* with);
typedef void mi_deferred_free_fun(bool force, unsigned long long heartbeat, void* with);
typedef bool mi_block_visit_fun(const mi_heap_t* heap, const mi_heap_area_t* area, void* block,
                                size_t block_size, void* with);

/* Blocks of the thread's default heap. */
void* mi_malloc(size_t size);
void* mi_malloc_small(size_t size);
void* mi_mallocn(size_t count, size_t size);
void* mi_zalloc(size_t size);
void* mi_zalloc_small(size_t size);
void* mi_calloc(size_t count, size_t size);
void* mi_realloc(void* p, size_t size);
void* mi_reallocn(void* p, size_t count, size_t size);
void* mi_reallocf(void* p, size_t size);
void* mi_rezalloc(void* p, size_t size);
void* mi_recalloc(void* p, size_t count, size_t size);
void* mi_malloc_aligned(size_t size, size_t alignment);
void* mi_malloc_aligned_at(size_t size, size_t alignment, size_t offset);
void* mi_zalloc_aligned(size_t size, size_t alignment);
void* mi_zalloc_aligned_at(size_t size, size_t alignment, size_t offset);
void* mi_calloc_aligned(size_t count, size_t size, size_t alignment);
void* mi_calloc_aligned_at(size_t count, size_t size, size_t alignment, size_t offset);
void* mi_realloc_aligned(void* p, size_t size, size_t alignment);
void* mi_realloc_aligned_at(void* p, size_t size, size_t alignment, size_t offset);
void* mi_rezalloc_aligned(void* p, size_t size, size_t alignment);
void* mi_rezalloc_aligned_at(void* p, size_t size, size_t alignment, size_t offset);
void* mi_recalloc_aligned(void* p, size_t count, size_t size, size_t alignment);
void* mi_recalloc_aligned_at(void* p, size_t count, size_t size, size_t alignment, size_t offset);
char* mi_strdup(const char* text);
char* mi_strndup(const char* text, size_t most);
char* mi_realpath(const char* path, char* resolved);

/* Blocks of any heap. */
void mi_free(void* p);
void mi_free_small(void* p);
void mi_free_size(void* p, size_t size);
void mi_free_size_aligned(void* p, size_t size, size_t alignment);
void mi_free_aligned(void* p, size_t alignment);
void mi_cfree(void* p);
void* mi_expand(void* p, size_t size);
size_t mi_usable_size(const void* p);
size_t mi_good_size(size_t size);
bool mi_check_owned(const void* p);
bool mi_is_in_heap_region(const void* p);

/* Heaps. */
mi_heap_t* mi_heap_new(void);
mi_heap_t* mi_heap_new_in_arena(int arena);
mi_heap_t* mi_heap_new_ex(int tag, bool allow_destroy, int arena);
void mi_heap_delete(mi_heap_t* heap);
void mi_heap_destroy(mi_heap_t* heap);
mi_heap_t* mi_heap_set_default(mi_heap_t* heap);
mi_heap_t* mi_heap_get_default(void);
mi_heap_t* mi_heap_get_backing(void);
void mi_heap_collect(mi_heap_t* heap, bool force);
bool mi_heap_contains_block(mi_heap_t* heap, const void* p);
bool mi_heap_check_owned(mi_heap_t* heap, const void* p);
bool mi_heap_visit_blocks(const mi_heap_t* heap, bool all_blocks, mi_block_visit_fun* visitor,
                          void* with);
void* mi_heap_malloc(mi_heap_t* heap, size_t size);
void* mi_heap_malloc_small(mi_heap_t* heap, size_t size);
void* mi_heap_mallocn(mi_heap_t* heap, size_t count, size_t size);
void* mi_heap_zalloc(mi_heap_t* heap, size_t size);
void* mi_heap_zalloc_small(mi_heap_t* heap, size_t size);
void* mi_heap_calloc(mi_heap_t* heap, size_t count, size_t size);
void* mi_heap_realloc(mi_heap_t* heap, void* p, size_t size);
void* mi_heap_reallocn(mi_heap_t* heap, void* p, size_t count, size_t size);
void* mi_heap_reallocf(mi_heap_t* heap, void* p, size_t size);
void* mi_heap_rezalloc(mi_heap_t* heap, void* p, size_t size);
void* mi_heap_recalloc(mi_heap_t* heap, void* p, size_t count, size_t size);
void* mi_heap_malloc_aligned(mi_heap_t* heap, size_t size, size_t alignment);
void* mi_heap_malloc_aligned_at(mi_heap_t* heap, size_t size, size_t alignment, size_t offset);
void* mi_heap_zalloc_aligned(mi_heap_t* heap, size_t size, size_t alignment);
void* mi_heap_zalloc_aligned_at(mi_heap_t* heap, size_t size, size_t alignment, size_t offset);
void* mi_heap_calloc_aligned(mi_heap_t* heap, size_t count, size_t size, size_t alignment);
void* mi_heap_calloc_aligned_at(mi_heap_t* heap, size_t count, size_t size, size_t alignment,
                                size_t offset);
void* mi_heap_realloc_aligned(mi_heap_t* heap, void* p, size_t size, size_t alignment);
void* mi_heap_realloc_aligned_at(mi_heap_t* heap, void* p, size_t size, size_t alignment,
                                 size_t offset);
void* mi_heap_rezalloc_aligned(mi_heap_t* heap, void* p, size_t size, size_t alignment);
void* mi_heap_rezalloc_aligned_at(mi_heap_t* heap, void* p, size_t size, size_t alignment,
                                  size_t offset);
void* mi_heap_recalloc_aligned(mi_heap_t* heap, void* p, size_t count, size_t size,
                               size_t alignment);
void* mi_heap_recalloc_aligned_at(mi_heap_t* heap, void* p, size_t count, size_t size,
                                  size_t alignment, size_t offset);
char* mi_heap_strdup(mi_heap_t* heap, const char* text);
char* mi_heap_strndup(mi_heap_t* heap, const char* text, size_t most);
char* mi_heap_realpath(mi_heap_t* heap, const char* path, char* resolved);

/* The process. */
void mi_collect(bool force);
int mi_version(void);
bool mi_is_redirected(void);
void mi_process_init(void);
void mi_thread_init(void);
void mi_thread_done(void);
void mi_process_done(void);
void mi_thread_set_in_threadpool(void);
void mi_collect_reduce(size_t most_owned);
void mi_options_print(void);
void mi_arenas_print(void);
void mi_debug_show_arenas(void);
bool mi_stats_get(void* statistics);
char* mi_stats_get_json(size_t room, char* text);
void mi_stats_reset(void);
void mi_stats_merge(void);
void mi_stats_print(void* ignored);
void mi_stats_print_out(mi_output_fun* out, void* with);
void mi_thread_stats_print_out(mi_output_fun* out, void* with);
void mi_process_info(size_t* elapsed_ms, size_t* user_ms, size_t* system_ms, size_t* rss,
                     size_t* peak_rss, size_t* commit, size_t* peak_commit, size_t* page_faults);
void mi_register_output(mi_output_fun* out, void* with);
void mi_register_error(mi_error_fun* report, void* with);
void mi_register_deferred_free(mi_deferred_free_fun* collect, void* with);
int mi_reserve_os_memory(size_t size, bool commit, bool allow_large);
int mi_reserve_huge_os_pages_interleave(size_t pages, size_t nodes, size_t timeout_ms);
int mi_reserve_huge_os_pages_at(size_t pages, int node, size_t timeout_ms);
bool mi_manage_os_memory(void* start, size_t size, bool is_committed, bool is_large, bool is_zero,
                         int node);
int mi_reserve_os_memory_ex(size_t size, bool commit, bool allow_large, bool exclusive, int* arena);
int mi_reserve_huge_os_pages(size_t pages, double most_seconds, size_t* reserved);
int mi_reserve_huge_os_pages_at_ex(size_t pages, int node, size_t timeout_ms, bool exclusive,
                                   int* arena);
bool mi_manage_os_memory_ex(void* start, size_t size, bool is_committed, bool is_large,
                            bool is_zero, int node, bool exclusive, int* arena);
void* mi_arena_area(int arena, size_t* size);

/* Since 2.1: blocks with their usable sizes, subprocesses, and settings of guard pages. */
void* mi_umalloc(size_t size, size_t* block_size);
void* mi_umalloc_small(size_t size, size_t* block_size);
void* mi_ucalloc(size_t count, size_t size, size_t* block_size);
void* mi_umalloc_aligned(size_t size, size_t alignment, size_t* block_size);
void* mi_uzalloc_aligned(size_t size, size_t alignment, size_t* block_size);
void* mi_urealloc(void* p, size_t size, size_t* size_before, size_t* size_after);
void mi_ufree(void* p, size_t* block_size);
void* mi_heap_try_new(mi_heap_t* heap, size_t size, bool nothrow);
void* mi_subproc_main(void);
void* mi_subproc_new(void);
void mi_subproc_delete(void* process);
void mi_subproc_add_current_thread(void* process);
bool mi_abandoned_visit_blocks(void* process, int tag, bool all_blocks, mi_block_visit_fun* visitor,
                               void* with);
void mi_heap_guarded_set_sample_rate(mi_heap_t* heap, size_t rate, size_t seed);
void mi_heap_guarded_set_size_bound(mi_heap_t* heap, size_t least, size_t most);
bool mi_unsafe_heap_page_is_under_utilized(mi_heap_t* heap, void* p, size_t percent);

/* Options, by number. mimalloc has an enumeration here. */
#ifndef HEAPSMITH_DIALECTS_OMIT_OPTIONS
long mi_option_get(unsigned option);
long mi_option_get_clamp(unsigned option, long least, long most);
size_t mi_option_get_size(unsigned option);
void mi_option_set(unsigned option, long value);
void mi_option_set_default(unsigned option, long value);
bool mi_option_is_enabled(unsigned option);
void mi_option_enable(unsigned option);
void mi_option_disable(unsigned option);
void mi_option_set_enabled(unsigned option, bool enable);
void mi_option_set_enabled_default(unsigned option, bool enable);
#endif

/* Functions of other systems that mimalloc's shared library has, too, and that take blocks. */
void* reallocf(void* p, size_t size);
void vfree(void* p);
size_t malloc_size(const void* p);

/* Functions of libc and C++ under other names. */
size_t mi_malloc_size(const void* p);
size_t mi_malloc_usable_size(const void* p);
size_t mi_malloc_good_size(size_t size);
int mi_posix_memalign(void** out, size_t alignment, size_t size);
void* mi_memalign(size_t alignment, size_t size);
void* mi_aligned_alloc(size_t alignment, size_t size);
void* mi_valloc(size_t size);
void* mi_pvalloc(size_t size);
void* mi_reallocarray(void* p, size_t count, size_t size);
int mi_reallocarr(void* p, size_t count, size_t size);
void* mi_aligned_recalloc(void* p, size_t count, size_t size, size_t alignment);
void* mi_aligned_offset_recalloc(void* p, size_t count, size_t size, size_t alignment,
                                 size_t offset);
void* mi__expand(void* p, size_t size);
unsigned char* mi_mbsdup(const unsigned char* text);
unsigned short* mi_wcsdup(const unsigned short* text);
int mi_dupenv_s(char** out, size_t* size, const char* name);
int mi_wdupenv_s(unsigned short** out, size_t* size, const unsigned short* name);
void* mi_new(size_t size);
void* mi_new_n(size_t count, size_t size);
void* mi_new_aligned(size_t size, size_t alignment);
void* mi_new_nothrow(size_t size);
void* mi_new_aligned_nothrow(size_t size, size_t alignment);
void* mi_new_realloc(void* p, size_t size);
void* mi_new_reallocn(void* p, size_t count, size_t size);
void* mi_heap_alloc_new(mi_heap_t* heap, size_t size);
void* mi_heap_alloc_new_n(mi_heap_t* heap, size_t count, size_t size);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* HEAPSMITH_DIALECTS_MIMALLOC_FUNCTIONS_H */
