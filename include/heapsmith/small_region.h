/* The C API of small regions: hs_region with 512 bytes of control data, for little memory. */
#ifndef HEAPSMITH_SMALL_REGION_H
#define HEAPSMITH_SMALL_REGION_H

#include <stddef.h>

#include "heapsmith/api.h"
#include "heapsmith/region.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The size of a small region's control data. */
#if __SIZEOF_POINTER__ == 8
#define HS_SMALL_REGION_BYTES 512
#else
#define HS_SMALL_REGION_BYTES 320
#endif
/** The most buffers a small region can have, where buffers that adjoin each other count as one. */
#define HS_SMALL_REGION_BUFFERS 2
/** Every buffer of a small region is smaller than this, also after it has joined another. */
#define HS_SMALL_REGION_END 1048576

/**
 * A region whose control data has few bins. It allocates from the same kind of blocks as hs_region,
 * by the same rules. hs_small_region_check verifies the same invariants, and misuse aborts with the
 * same messages. Needs libheapsmith.so or libheapsmith.a.
 *
 * |                              | hs_region    | hs_small_region          |
 * |------------------------------|--------------|--------------------------|
 * | control data                 | 16 KiB       | 512 bytes                |
 * | with pointers of 32 bits     | 7 KiB        | 320 bytes                |
 * | a buffer                     | below 2^47   | below 1 MiB              |
 * | buffers that do not adjoin   | 64           | 2                        |
 * | deferred when freed          | up to 1016   | up to 120 bytes          |
 * | found in a list of its size  | below 16 KiB | free blocks below 256    |
 *
 * Each function does as the function of hs_region with the same name. Exceptions:
 * - hs_small_region_init and hs_small_region_add_memory also return EINVAL if the buffer, joined
 *   with those that it adjoins, has HS_SMALL_REGION_END bytes or more.
 * - Larger free blocks are in one digital tree for each doubling of the size, so that finding one
 *   takes up to 16 steps.
 *
 * Requires: the structure is zero-initialised before hs_small_region_init, and is neither copied
 * nor moved after it.
 *
 * # Results, Thread safety, Alignment, Out of memory, Misuse
 * As hs_region.
 *
 * Why: docs/design/regions.md.
 */
typedef struct hs_small_region {
#ifdef __cplusplus
  alignas(64) unsigned char opaque[HS_SMALL_REGION_BYTES];
#else
  _Alignas(64) unsigned char opaque[HS_SMALL_REGION_BYTES];
#endif
} hs_small_region;

HS_API int hs_small_region_init(hs_small_region* region, void* buffer, size_t bytes);
HS_API int hs_small_region_add_memory(hs_small_region* region, void* buffer, size_t bytes);
HS_API void* hs_small_region_malloc(hs_small_region* region, size_t size) HS_NOTHROW
    __attribute__((alloc_size(2)));
HS_API void* hs_small_region_calloc(hs_small_region* region, size_t count, size_t size) HS_NOTHROW
    __attribute__((alloc_size(2, 3)));
HS_API void* hs_small_region_aligned_alloc(hs_small_region* region, size_t alignment,
                                           size_t size) HS_NOTHROW __attribute__((alloc_size(3)));
HS_API void hs_small_region_free(hs_small_region* region, void* p) HS_NOTHROW;
HS_API void* hs_small_region_realloc(hs_small_region* region, void* p, size_t size) HS_NOTHROW
    __attribute__((alloc_size(3)));
HS_API void* hs_small_region_aligned_realloc(hs_small_region* region, void* p, size_t alignment,
                                             size_t size) HS_NOTHROW __attribute__((alloc_size(4)));
HS_API int hs_small_region_try_expand(hs_small_region* region, void* p, size_t size);
HS_API size_t hs_small_region_usable_size(const hs_small_region* region, const void* p);
HS_API int hs_small_region_owns(const hs_small_region* region, const void* p);
HS_API void hs_small_region_reset(hs_small_region* region);
HS_API void hs_small_region_destroy(hs_small_region* region);
HS_API size_t hs_small_region_defragment(hs_small_region* region);
HS_API void hs_small_region_limit_deferred(hs_small_region* region, size_t bytes);
HS_API int hs_small_region_stats(const hs_small_region* region, hs_region_statistics* out);
HS_API int hs_small_region_survey_blocks(const hs_small_region* region, hs_region_survey* out);
HS_API void hs_small_region_for_each_block(const hs_small_region* region,
                                           void (*visit)(void* context,
                                                         const hs_region_block* block),
                                           void* context);
/** Returns: 0, or the number of a broken invariant, which hs_region_invariant names. */
HS_API int hs_small_region_check(const hs_small_region* region);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEAPSMITH_SMALL_REGION_H */
