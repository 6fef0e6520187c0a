/* The C API of regions: a complete malloc over memory that the caller supplies. */
#ifndef HEAPSMITH_REGION_H
#define HEAPSMITH_REGION_H

#include <stddef.h>

#include "heapsmith/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The size of a region's control data. */
#if __SIZEOF_POINTER__ == 8
#define HS_REGION_BYTES 16384
#else
#define HS_REGION_BYTES 7168
#endif
/** The most buffers a region can have, where buffers that adjoin each other count as one. */
#define HS_REGION_BUFFERS 64

/**
 * A region allocates blocks from buffers that the caller supplies: a static array, a mapping, a
 * part of another allocator's block. Its control data is this structure, outside the buffers. In
 * the buffers, each block has a header of 8 bytes. Needs libheapsmith.so or libheapsmith.a.
 *
 * Requires: the structure is zero-initialised before hs_region_init, and is neither copied nor
 * moved after it.
 *
 * # Results
 * As described in heapsmith.h.
 *
 * # Thread safety
 * None: one thread at a time may use a region. In C++, synchronized_region and concurrent_region
 * are for several threads.
 *
 * # Alignment
 * Every block is aligned to 16 bytes, or to more if the function takes an alignment.
 *
 * # Out of memory
 * A request fails with ENOMEM only if no free part of the buffers is large enough. With an
 * alignment above 16, the region first looks for a free part that is large enough at any address.
 * If it finds no such part, it looks at 256 free parts that are at least as large as the block. If
 * none of these is suitably aligned, the request fails.
 *
 * # Misuse
 * Passing a pointer that is not the start of a live block of the region aborts the process, with
 * one line on stderr. The region detects every pointer outside its buffers, and every block that
 * was freed and whose memory has not been allocated again. Of all other bad pointers, it misses one
 * in 65536.
 *
 * # Complexity
 * Allocating up to 1016 bytes takes about 20 instructions if a block of its size was freed
 * before. Everything else is bounded by the depth of the index of free blocks: at most one step for
 * each bit of the size. Two kinds of calls may take longer:
 * - If a request is larger than every free block, the region joins deferred blocks with their
 *   neighbours until one suffices. Before the request fails, the region has joined all deferred
 *   blocks. These are at most 2 MiB, and at most half the largest free block, or 4 KiB if that is
 *   more. hs_region_limit_deferred sets another bound.
 * - A request with an alignment above 16 may look at 256 free blocks that are large enough.
 *
 * Source: boundary tags (Knuth, 1968); exact bins, a digital search tree and the designated victim
 * as in Lea's malloc (1996); two-level bitmap bins as in TLSF (Masmano et al., 2004).
 * docs/paths/region.md follows one call.
 */
typedef struct hs_region {
#ifdef __cplusplus
  alignas(64) unsigned char opaque[HS_REGION_BYTES];
#else
  _Alignas(64) unsigned char opaque[HS_REGION_BYTES];
#endif
} hs_region;

/**
 * Effects: starts a region over a buffer of any address and size. Three parts of the buffer stay
 * unused: the bytes in front of the first multiple of 16, those behind the last one, and 8 bytes at
 * the end.
 * Returns: 0; EINVAL if `buffer` is NULL or too small for one block, which takes 40 to 55 bytes,
 * depending on the address; EBUSY if the region has been started already.
 */
HS_API int hs_region_init(hs_region* region, void* buffer, size_t bytes);

/**
 * Effects: adds another buffer, at any address. Starts the region if that has not been done.
 * Buffers that adjoin each other become one; a buffer may then be of any size, and blocks may lie
 * across the seam.
 * Returns: 0; EINVAL if `buffer` is NULL, overlaps a buffer of the region, or adjoins none and is
 * too small for one block; ENOSPC if the region has HS_REGION_BUFFERS buffers and `buffer` adjoins
 * none of them.
 * Complexity: linear in the number of buffers.
 */
HS_API int hs_region_add_memory(hs_region* region, void* buffer, size_t bytes);

/*
 * No function has the attribute malloc. It promises memory that nothing else points to, and here
 * the caller still has a pointer to the buffer.
 */

/**
 * Effects: allocates `size` bytes, uninitialised.
 * Returns: the block; NULL if `size` is 0; NULL if out of memory (ENOMEM).
 */
HS_API void* hs_region_malloc(hs_region* region, size_t size) HS_NOTHROW
    __attribute__((alloc_size(2)));

/**
 * Effects: allocates `count * size` bytes, all zero.
 * Returns: as hs_region_malloc; NULL (ENOMEM) also if the product overflows.
 */
HS_API void* hs_region_calloc(hs_region* region, size_t count, size_t size) HS_NOTHROW
    __attribute__((alloc_size(2, 3)));

/**
 * Effects: allocates `size` bytes at a multiple of `alignment`. Memory in front of the block and
 * behind it stays free for other requests.
 * Returns: as hs_region_malloc; NULL (EINVAL) if `alignment` is not a power of two.
 */
HS_API void* hs_region_aligned_alloc(hs_region* region, size_t alignment, size_t size) HS_NOTHROW
    __attribute__((alloc_size(3)));

/**
 * Effects: frees the block at `p`; does nothing if `p` is NULL. A block of up to 1016 bytes is
 * deferred: it serves the next request of its size, and joins its free neighbours later, before any
 * request fails.
 */
HS_API void hs_region_free(hs_region* region, void* p) HS_NOTHROW;

/**
 * Effects: resizes the block at `p`, keeping its contents up to the smaller size. If `p` is NULL,
 * allocates. If `size` is 0, frees `p`. The block shrinks in place. It grows in place if enough
 * memory behind it is free, and moves otherwise. If no other free memory is large enough, it moves
 * down into the free memory in front of it.
 * Returns: the block; NULL if `size` is 0; NULL if out of memory (ENOMEM), with the old block
 * intact.
 */
HS_API void* hs_region_realloc(hs_region* region, void* p, size_t size) HS_NOTHROW
    __attribute__((alloc_size(3)));

/**
 * Effects: as hs_region_realloc; a block that moves is aligned to `alignment`.
 * Errors: EINVAL if `alignment` is not a power of two.
 */
HS_API void* hs_region_aligned_realloc(hs_region* region, void* p, size_t alignment,
                                       size_t size) HS_NOTHROW __attribute__((alloc_size(4)));

/**
 * Effects: makes the block at `p` `size` bytes long without moving it. It grows into free memory
 * behind it, or shrinks and frees the rest.
 * Returns: 0; ENOMEM if that is impossible, or `p` is NULL.
 */
HS_API int hs_region_try_expand(hs_region* region, void* p, size_t size);

/** Returns: the usable size of the block at `p`, at least its requested size; 0 if `p` is NULL. */
HS_API size_t hs_region_usable_size(const hs_region* region, const void* p);

/** Returns: 1 if `p` points into a buffer of the region, else 0. */
HS_API int hs_region_owns(const hs_region* region, const void* p);

/** Effects: ends all blocks; the buffers stay. Complexity: linear in the number of buffers. */
HS_API void hs_region_reset(hs_region* region);

/**
 * Effects: ends all blocks and forgets the buffers. They are the caller's again, and sanitizers
 * accept that the caller reads and writes them. The region may be started again.
 */
HS_API void hs_region_destroy(hs_region* region);

/**
 * Effects: joins deferred blocks with their free neighbours.
 * Returns: the size of the largest request that would now succeed.
 */
HS_API size_t hs_region_defragment(hs_region* region);

/**
 * Effects: from now on the region defers at most `bytes` bytes of freed blocks. With 0, every block
 * joins its free neighbours when it is freed, so no request has to join blocks that others left.
 * May be called before hs_region_init.
 */
HS_API void hs_region_limit_deferred(hs_region* region, size_t bytes);

/** The statistics of a region. Sizes are in bytes; those of blocks include their headers. */
typedef struct hs_region_statistics {
  size_t size; /**< set by the caller to sizeof(hs_region_statistics); no field beyond is written */
  size_t buffer_bytes;       /**< the buffers */
  size_t in_use_bytes;       /**< blocks in use */
  size_t available_bytes;    /**< free and deferred blocks */
  size_t deferred_bytes;     /**< of these, deferred blocks */
  size_t peak_bytes;         /**< highest in_use_bytes since the region was started */
  size_t largest_free_bytes; /**< largest request that a free block can serve as it is */
  size_t metadata_bytes;     /**< the control data, and the headers in the buffers */
  size_t edge_bytes;         /**< bytes at the ends of buffers that no block can use */
  size_t failed_requests;    /**< requests that failed, for lack of memory or a wrong alignment */
  size_t blocks;             /**< number of blocks, in use, free or deferred */
  size_t buffers;            /**< number of buffers, where adjoining ones count as one */
} hs_region_statistics;

/**
 * Effects: fills in `*out`, whose `size` the caller has set.
 * Returns: 0; EINVAL if `out` is NULL, or `size` is too small for any field.
 * Complexity: linear in the number of buffers; finding the largest free block takes at most one
 * step for each bit of its size.
 */
HS_API int hs_region_stats(const hs_region* region, hs_region_statistics* out);

/** The sizes in a survey's histogram: entry i counts sizes from 2^(i+4) to below 2^(i+5) bytes. */
#define HS_REGION_HISTOGRAM 44

/** The results of a walk over all blocks of a region. */
typedef struct hs_region_survey {
  size_t size; /**< set by the caller to sizeof(hs_region_survey); no field beyond is written */
  size_t blocks_in_use;         /**< number of blocks in use */
  size_t deferred_blocks;       /**< number of deferred blocks */
  size_t free_blocks;           /**< number of free blocks */
  size_t largest_free_bytes;    /**< as in hs_region_statistics */
  size_t alignment_waste_bytes; /**< edge_bytes, plus an estimate of 7.5 bytes a block in use */
  size_t free_histogram[HS_REGION_HISTOGRAM];       /**< number of free blocks by size … */
  size_t free_histogram_bytes[HS_REGION_HISTOGRAM]; /**< … and their bytes, headers included */
} hs_region_survey;

/**
 * Effects: walks all blocks and fills in `*out`, whose `size` the caller has set.
 * Returns: 0; EINVAL if `out` is NULL, or `size` is too small for any field.
 * Complexity: linear in the number of blocks.
 */
HS_API int hs_region_survey_blocks(const hs_region* region, hs_region_survey* out);

/** The states of a block. */
typedef enum hs_region_state {
  HS_REGION_FREE = 0,
  HS_REGION_IN_USE = 1,
  HS_REGION_DEFERRED = 2
} hs_region_state;

/** A block, as hs_region_for_each_block passes it to its visitor. */
typedef struct hs_region_block {
  void* pointer;         /**< the pointer that the block's user has or would get */
  size_t bytes;          /**< usable size */
  hs_region_state state; /**< the contents may be read only if this is HS_REGION_IN_USE */
} hs_region_block;

/**
 * Effects: calls `visit(context, block)` for every block of a buffer in the order of addresses, one
 * buffer after another.
 * Requires: `visit` calls no function that changes the region.
 */
HS_API void hs_region_for_each_block(const hs_region* region,
                                     void (*visit)(void* context, const hs_region_block* block),
                                     void* context);

/**
 * Effects: walks all blocks and all lists, and compares them. Never reads outside the buffers,
 * however damaged they are.
 * Returns: 0 if all invariants hold; else the number of a broken one, which hs_region_invariant
 * names.
 * Complexity: linear in the number of blocks.
 */
HS_API int hs_region_check(const hs_region* region);

/** Returns: the name of the invariant with this number; "" for 0. */
HS_API const char* hs_region_invariant(int broken);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEAPSMITH_REGION_H */
