/* The C API of heaps of their own: any thread allocates, free() takes their blocks, and all blocks
 * of one end at once. Included by heapsmith.h.
 */
#ifndef HEAPSMITH_HEAP_H
#define HEAPSMITH_HEAP_H

#include <stddef.h>

#include "heapsmith/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A general-purpose heap beside the process's own, with slabs of its own: its blocks share no OS
 * page with those of others, are counted and limited apart, and can all be ended at once.
 *
 * ```c
 * hs_heap* heap = hs_heap_create();
 * char* name = hs_heap_malloc(heap, 100);
 * hs_free(name);          // or hs_heap_free(heap, name), or neither
 * hs_heap_destroy(heap);  // and whatever was left in it
 * ```
 *
 * # Blocks
 * Blocks of a heap are blocks of hs_malloc's in all else: hs_free, hs_realloc,
 * hs_malloc_usable_size and, under the preload, free and realloc take them, in any thread. A block
 * that is resized stays in its heap.
 *
 * # Thread safety
 * Every function may be called from any thread at any time, with two exceptions: while
 * hs_heap_destroy or hs_heap_reset runs, nobody may use the heap or free a block of it, and
 * all earlier use must have happened before, as for any object that ends. To purge, to end threads
 * that used the heap and to allocate elsewhere is not use.
 *
 * # Signal handlers
 * As heapsmith.h says; a block that a handler got where it interrupted the heap is of no heap, and
 * outlives this one. To end a heap there stops the process, to create one fails.
 *
 * # Errors
 * As in heapsmith.h; a heap's limit refuses requests as the process's does. To destroy a heap
 * twice, or to allocate from one that was destroyed, stops the process, until its memory serves
 * another heap. A block that ended with its heap is like any that was freed before.
 *
 * # Cost
 * Each thread that uses a heap has a sub-heap in it, of about 6 KiB, reused when the heap ends. A
 * thread finds its sub-heaps of a few heaps without a search; use of many by turns costs a walk
 * over the threads that use the heap.
 *
 * Source: first-class heaps as in mimalloc (Leijen et al., 2019) and in Windows' HeapCreate; how
 * threads share one is docs/decisions/0007-first-class-heaps.md.
 */
typedef struct hs_heap hs_heap;

/** Returns: a heap without blocks, or NULL (ENOMEM). */
HS_API hs_heap* hs_heap_create(void);

/**
 * Effects: ends the heap with all its blocks; NULL: nothing. Their memory serves everybody then.
 * Complexity: by slabs, not by blocks, and by the threads that used the heap.
 */
HS_API void hs_heap_destroy(hs_heap* heap);

/** Effects: as hs_heap_destroy, and the heap, its limit and its peak stay. */
HS_API void hs_heap_reset(hs_heap* heap);

/** As hs_malloc, from `heap`. Complexity: 19 instructions when the class has a free block. */
HS_API void* hs_heap_malloc(hs_heap* heap, size_t size) __attribute__((malloc, alloc_size(2)));
/** As hs_calloc, from `heap`. */
HS_API void* hs_heap_calloc(hs_heap* heap, size_t count, size_t size)
    __attribute__((malloc, alloc_size(2, 3)));
/** As hs_aligned_alloc, from `heap`. */
HS_API void* hs_heap_aligned_alloc(hs_heap* heap, size_t alignment, size_t size)
    __attribute__((malloc, alloc_size(3)));
/** As hs_realloc; NULL is allocated for from `heap`. Requires: `p` is NULL or of `heap`. */
HS_API void* hs_heap_realloc(hs_heap* heap, void* p, size_t size) __attribute__((alloc_size(3)));
/**
 * As hs_free, which it may be used instead of; faster for a block of a heap of its own.
 * Requires: `p` is NULL or of `heap`, which may be NULL where it is not at hand.
 */
HS_API void hs_heap_free(hs_heap* heap, void* p);

/**
 * Effects: the heap may hold at most `bytes` in slabs, large blocks and direct maps; 0: no limit.
 * What it holds already stays.
 */
HS_API void hs_heap_set_limit(hs_heap* heap, size_t bytes);

/** What hs_heap_stats tells, in bytes. */
typedef struct hs_heap_statistics {
  size_t size; /**< sizeof(hs_heap_statistics) of the caller; fields beyond stay unwritten */
  size_t in_use_bytes; /**< blocks handed out, in their size classes */
  size_t slab_bytes;   /**< slabs, with their free blocks */
  size_t large_bytes;  /**< large blocks */
  size_t direct_bytes; /**< direct maps, from 32 MiB on */
  size_t held_bytes;   /**< slabs, large blocks and direct maps together: what the limit is for */
  size_t peak_bytes;   /**< highest of that in the heap's life */
  size_t limit_bytes;  /**< the limit; 0: none */
} hs_heap_statistics;

/**
 * Effects: fills in `*out`, whose `size` the caller has set. As exact as hs_stats.
 * Returns: 1, or 0 (EINVAL) when `size` is too small to hold any field.
 * Complexity: a walk over the heap's slabs.
 */
HS_API int hs_heap_stats(hs_heap* heap, hs_heap_statistics* out);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEAPSMITH_HEAP_H */
