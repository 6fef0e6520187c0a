// Functions that mimalloc has had since 2.1, and those of arenas: the process has one arena, number
// 0.
#include <errno.h>

#include "adapt/dialects/mimalloc/requests.hpp"
#include "adapt/override/new_handler.hpp"
#include "heap/purge.hpp"

namespace hs = heapsmith;

namespace {

/// Tells the usable size of a block that was made.
void* with_size(void* p, size_t* size) {
  if (size != nullptr) *size = p == nullptr ? 0 : mi_usable_size(p);
  return p;
}

}  // namespace

extern "C" {

void* mi_umalloc(size_t size, size_t* block_size) {
  return with_size(mi_malloc(size), block_size);
}
void* mi_umalloc_small(size_t size, size_t* block_size) {
  return with_size(mi_malloc_small(size), block_size);
}
void* mi_ucalloc(size_t count, size_t size, size_t* block_size) {
  return with_size(mi_calloc(count, size), block_size);
}
void* mi_umalloc_aligned(size_t size, size_t alignment, size_t* block_size) {
  return with_size(mi_malloc_aligned(size, alignment), block_size);
}
void* mi_uzalloc_aligned(size_t size, size_t alignment, size_t* block_size) {
  return with_size(mi_zalloc_aligned(size, alignment), block_size);
}
void* mi_urealloc(void* p, size_t size, size_t* size_before, size_t* size_after) {
  with_size(p, size_before);
  return with_size(mi_realloc(p, size), size_after);
}
void mi_ufree(void* p, size_t* block_size) {
  mi_free(with_size(p, block_size));
}
void mi_free_small(void* p) {
  mi_free(p);
}
void* mi_heap_zalloc_small(mi_heap_t* heap, size_t size) {
  return mi_heap_zalloc(heap, size);
}
void* mi_heap_try_new(mi_heap_t* heap, size_t size, bool nothrow) {
  return nothrow ? hs::new_or_null(size, 1) : mi_heap_alloc_new(heap, size);
}

// Freed blocks are collected without limits.
void mi_collect_reduce(size_t /*most_owned*/) {
  hs::purge_this_thread();
}
void mi_process_done(void) {}
void mi_thread_set_in_threadpool(void) {}
void mi_options_print(void) {}
void mi_arenas_print(void) {}
void mi_debug_show_arenas(void) {}

// The layout of these statistics is that of one version: they are not given.
bool mi_stats_get(void* /*statistics*/) {
  return false;
}
char* mi_stats_get_json(size_t /*room*/, char* /*text*/) {
  return nullptr;
}

int mi_reserve_os_memory_ex(size_t size, bool commit, bool allow_large, bool exclusive,
                            int* arena) {
  if (arena != nullptr) *arena = 0;
  return exclusive ? ENOMEM : mi_reserve_os_memory(size, commit, allow_large);
}
int mi_reserve_huge_os_pages(size_t /*pages*/, double /*most_seconds*/, size_t* reserved) {
  if (reserved != nullptr) *reserved = 0;
  return ENOMEM;
}
int mi_reserve_huge_os_pages_at_ex(size_t /*pages*/, int /*node*/, size_t /*timeout_ms*/,
                                   bool /*exclusive*/, int* arena) {
  if (arena != nullptr) *arena = 0;
  return ENOMEM;
}
bool mi_manage_os_memory_ex(void* /*start*/, size_t /*size*/, bool /*is_committed*/,
                            bool /*is_large*/, bool /*is_zero*/, int /*node*/, bool /*exclusive*/,
                            int* arena) {
  if (arena != nullptr) *arena = 0;
  return false;
}
void* mi_arena_area(int /*arena*/, size_t* size) {
  if (size != nullptr) *size = 0;
  return nullptr;
}

// All threads are in the main subprocess.
void* mi_subproc_main(void) {
  return nullptr;
}
void* mi_subproc_new(void) {
  return nullptr;
}
void mi_subproc_delete(void* /*process*/) {}
void mi_subproc_add_current_thread(void* /*process*/) {}
bool mi_abandoned_visit_blocks(void* /*process*/, int /*tag*/, bool /*all_blocks*/,
                               mi_block_visit_fun* /*visitor*/, void* /*with*/) {
  return false;
}

// mimalloc has guard pages in builds for debugging alone.
void mi_heap_guarded_set_sample_rate(mi_heap_t* /*heap*/, size_t /*rate*/, size_t /*seed*/) {}
void mi_heap_guarded_set_size_bound(mi_heap_t* /*heap*/, size_t /*least*/, size_t /*most*/) {}
bool mi_unsafe_heap_page_is_under_utilized(mi_heap_t* /*heap*/, void* /*p*/, size_t /*percent*/) {
  return false;
}

// For Windows, as in mimalloc.
int mi_wdupenv_s(unsigned short** out, size_t* size, const unsigned short* /*name*/) {
  if (out != nullptr) *out = nullptr;
  if (size != nullptr) *size = 0;
  return EINVAL;
}

}  // extern "C"
