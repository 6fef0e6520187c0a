/* The C API of first-class heaps: any thread may use one, hs_free takes their blocks, and all
 * blocks of a heap can be ended at once. Included by heapsmith.h, which describes results and
 * misuse.
 */
#ifndef HEAPSMITH_HEAP_H
#define HEAPSMITH_HEAP_H

#if defined(_WIN32)
#error "The heap (heapsmith.h, heap.h) is for Linux. Use a region or a pool: docs/windows.md"
#endif

#include <stddef.h>

#include "heapsmith/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A general-purpose heap beside the process's own. It has slabs of its own, so its blocks share no
 * OS page with blocks of other heaps. They are counted and limited separately, and can all be ended
 * at once.
 *
 * ```c
 * hs_heap* heap = hs_heap_create();
 * char* name = hs_heap_malloc(heap, 100);
 * hs_free(name);          // or hs_heap_free(heap, name), or neither
 * hs_heap_destroy(heap);  // ends all blocks that are left
 * ```
 *
 * # Blocks
 * In all other respects these are blocks like those of hs_malloc: hs_free, hs_realloc and
 * hs_malloc_usable_size take them in any thread, and under the preload free and realloc do too. A
 * block that is resized stays in its heap.
 *
 * # Thread safety
 * Any thread may call any function at any time, but hs_heap_destroy and hs_heap_reset need
 * exclusive access. While one of them runs, no other thread may use the heap or free a block of it.
 * All earlier uses must happen before the call. Purging, ending a thread that used the heap, and
 * allocating from another heap are not uses.
 *
 * # Signal handlers
 * See heapsmith.h. If a signal handler interrupts the heap, the blocks that the handler allocates
 * belong to no heap, and outlive this one. In such a handler, ending or resetting a heap aborts the
 * process, and creating a heap fails.
 *
 * # Misuse
 * See heapsmith.h. Destroying a heap twice, or using a destroyed heap, aborts the process, until
 * another heap reuses its memory. A block that ended with its heap counts as freed.
 *
 * # Cost
 * Each thread that uses a heap has a sub-heap in it, of about 11 KiB, which is reused when the heap
 * ends. A thread finds its sub-heaps in a few heaps without a search. If it alternates between many
 * heaps, each change walks the list of the threads that use the heap.
 *
 * Source: first-class heaps as in mimalloc (Leijen et al., 2019) and in Windows' HeapCreate;
 * docs/design/first-class-heaps.md says how threads share one.
 */
typedef struct hs_heap hs_heap;

/** Returns: a heap without blocks, or NULL (ENOMEM). */
HS_API hs_heap* hs_heap_create(void);

/**
 * Effects: ends the heap and all its blocks; does nothing if `heap` is NULL. The memory serves all
 * heaps then.
 * Complexity: linear in the number of slabs, and of the threads that used the heap.
 */
HS_API void hs_heap_destroy(hs_heap* heap);

/**
 * Effects: ends all blocks of the heap. The heap stays, with its limit and its peak.
 * Complexity: as hs_heap_destroy.
 */
HS_API void hs_heap_reset(hs_heap* heap);

/** As hs_malloc, from `heap`. Complexity: 19 instructions if the size class has a free block. */
HS_API void* hs_heap_malloc(hs_heap* heap, size_t size) __attribute__((malloc, alloc_size(2)));
/** As hs_calloc, from `heap`. */
HS_API void* hs_heap_calloc(hs_heap* heap, size_t count, size_t size)
    __attribute__((malloc, alloc_size(2, 3)));
/** As hs_aligned_alloc, from `heap`. */
HS_API void* hs_heap_aligned_alloc(hs_heap* heap, size_t alignment, size_t size)
    __attribute__((malloc, alloc_size(3)));
/** As hs_realloc. If `p` is NULL, allocates from `heap`. Requires: `p` is NULL or from `heap`. */
HS_API void* hs_heap_realloc(hs_heap* heap, void* p, size_t size) __attribute__((alloc_size(3)));
/**
 * Effects: as hs_free, but faster for a block of a first-class heap.
 * Requires: `p` is NULL or from `heap`; `heap` may be NULL if the caller does not know it.
 */
HS_API void hs_heap_free(hs_heap* heap, void* p);

/**
 * Effects: limits the slabs, large blocks and direct maps of the heap to `bytes` together; 0
 * removes the limit. Blocks that exceed a new limit stay.
 */
HS_API void hs_heap_set_limit(hs_heap* heap, size_t bytes);

/** The statistics of a first-class heap, in bytes. */
typedef struct hs_heap_statistics {
  size_t size; /**< set by the caller to sizeof(hs_heap_statistics); no field beyond is written */
  size_t in_use_bytes; /**< blocks in use, by the sizes of their classes */
  size_t slab_bytes;   /**< slabs, including their free blocks */
  size_t large_bytes;  /**< large blocks */
  size_t direct_bytes; /**< direct maps: blocks of 32 MiB and more */
  size_t held_bytes;   /**< slabs, large blocks and direct maps together, which the limit bounds */
  size_t peak_bytes;   /**< highest held_bytes since the heap was created */
  size_t limit_bytes;  /**< the limit; 0 for no limit */
} hs_heap_statistics;

/**
 * Effects: fills in `*out`, whose `size` the caller has set; in_use_bytes is as exact as in
 * hs_stats.
 * Returns: 0; EINVAL if `out` is NULL, or `size` is too small for any field.
 * Complexity: linear in the number of slabs of the heap.
 */
HS_API int hs_heap_stats(hs_heap* heap, hs_heap_statistics* out);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEAPSMITH_HEAP_H */
