/* The C API of regions: a complete malloc over memory that the caller supplies.
 */
#ifndef HEAPSMITH_REGION_H
#define HEAPSMITH_REGION_H

#include <stddef.h>

#include "heapsmith/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How large the control data of a region is. */
#define HS_REGION_BYTES 16384
/** How many buffers that do not adjoin each other a region can hold. */
#define HS_REGION_BUFFERS 64

/**
 * A region hands out blocks of buffers that the caller supplies: a static array, a mapping, a part
 * of another allocator's block. All it knows is in this control data, outside the buffers; in them,
 * each block has a header of 8 bytes. Needs libheapsmith.so or libheapsmith.a.
 *
 * Requires: zero-initialised before hs_region_init, and neither copied nor moved after it.
 *
 * # Thread safety
 * None: one thread at a time. synchronized_region and concurrent_region are for several.
 *
 * # Alignment
 * Every block is aligned to 16 bytes; more where a function takes an alignment.
 *
 * # Errors
 * Functions that return a block return NULL and set errno to ENOMEM when no place in the buffers is
 * large enough, EINVAL when an alignment is no power of two; nothing has changed then. As long as
 * some place is large enough, and aligned as asked, no request fails.
 * A pointer that is not the start of a live block of the region stops the process with one line on
 * stderr. That is noticed for every pointer outside the buffers and every block that was freed and
 * whose memory was not handed out again since; for all others but one in 65536.
 *
 * # Complexity
 * A block below 1 KiB that follows a free of the same size takes about 20 instructions. All else is
 * bounded by the depth of the index of free blocks: at most one step for each bit of the size. Two
 * calls may take longer: a request that is larger than every free block joins deferred blocks until
 * one suffices, and all of them before it fails, of which there are at most 2 MiB, at most half the
 * largest piece of free memory, or 4 KiB where that is small (hs_region_limit_deferred sets another
 * bound); and an alignment above 16 may search all free blocks that are large enough.
 *
 * Source: boundary tags (Knuth, 1968), exact bins, a digital search tree and the designated victim
 * as in Lea's malloc (1996), two-level bitmap bins as in TLSF (Masmano et al., 2004).
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
 * Effects: starts a region over a buffer of any address and size. What is no multiple of 16 at its
 * ends is not used, nor are 8 bytes at the end.
 * Returns: 0; EINVAL when `buffer` is NULL or too small for one block (below 40 to 55 bytes,
 * depending on its address); EBUSY when the region has been started already.
 */
HS_API int hs_region_init(hs_region* region, void* buffer, size_t bytes);

/**
 * Effects: adds a further buffer, anywhere. Buffers that adjoin each other become one, and blocks
 * may lie across the seam; the smallest buffer counts then.
 * Returns: 0; EINVAL when `buffer` is NULL, overlaps a buffer that the region has, or is too small
 * for one block and adjoins none; ENOSPC beyond HS_REGION_BUFFERS buffers that do not adjoin. A
 * region that has not been started is started.
 * Complexity: linear in the number of buffers.
 */
HS_API int hs_region_add_memory(hs_region* region, void* buffer, size_t bytes);

/*
 * No function is declared to return memory that nothing else points to (attribute malloc): the
 * caller has the buffer.
 */

/**
 * Effects: allocates `size` bytes, uninitialised.
 * Returns: the block; NULL for size 0, and without memory (ENOMEM).
 */
HS_API void* hs_region_malloc(hs_region* region, size_t size) HS_NOTHROW
    __attribute__((alloc_size(2)));

/** As hs_region_malloc for `count * size` bytes that read as zero; the product is checked. */
HS_API void* hs_region_calloc(hs_region* region, size_t count, size_t size) HS_NOTHROW
    __attribute__((alloc_size(2, 3)));

/**
 * Effects: allocates `size` bytes at a multiple of `alignment`, a power of two of any size. What is
 * left free in front of the block and behind it serves other requests.
 * Returns: the block; NULL for size 0, without memory (ENOMEM), for no power of two (EINVAL).
 */
HS_API void* hs_region_aligned_alloc(hs_region* region, size_t alignment, size_t size) HS_NOTHROW
    __attribute__((alloc_size(3)));

/**
 * Effects: ends the block at `p`. NULL: nothing. Blocks below 1 KiB are deferred: they serve the
 * next request of their size, and join their free neighbours later, before any request fails.
 */
HS_API void hs_region_free(hs_region* region, void* p) HS_NOTHROW;

/**
 * Effects: resizes the block at `p`, keeping contents up to the smaller size. NULL allocates; size
 * 0 frees `p` and returns NULL. Shrinks in place, always; grows in place into free memory behind
 * it, else moves; if there is no other place, moves down into free memory in front of it.
 * Returns: the block, or NULL (ENOMEM); the old block is intact then.
 */
HS_API void* hs_region_realloc(hs_region* region, void* p, size_t size) HS_NOTHROW
    __attribute__((alloc_size(3)));

/** As hs_region_realloc, and a moved block is aligned to `alignment` (no power of two: EINVAL). */
HS_API void* hs_region_aligned_realloc(hs_region* region, void* p, size_t alignment,
                                       size_t size) HS_NOTHROW __attribute__((alloc_size(4)));

/**
 * Effects: makes the block at `p` `size` bytes long without moving it: longer, into free memory
 * behind it, or shorter, giving back what it need not have.
 * Returns: 1, or 0 when that is not possible; the block is unchanged then.
 */
HS_API int hs_region_try_expand(hs_region* region, void* p, size_t size);

/** Returns: how many bytes of the block at `p` may be used, at least what was asked; 0 for NULL. */
HS_API size_t hs_region_usable_size(const hs_region* region, const void* p);

/** Returns: 1 when `p` points into a buffer of the region, else 0. */
HS_API int hs_region_owns(const hs_region* region, const void* p);

/** Effects: ends all blocks; the buffers stay. Complexity: linear in the number of buffers. */
HS_API void hs_region_reset(hs_region* region);

/**
 * Effects: ends all blocks and forgets the buffers, whose memory is the caller's again, readable
 * and writable under sanitizers too. The region may be started again.
 */
HS_API void hs_region_destroy(hs_region* region);

/**
 * Effects: joins deferred blocks with their free neighbours.
 * Returns: the largest size that a request can now have.
 */
HS_API size_t hs_region_defragment(hs_region* region);

/**
 * Effects: from now on at most `bytes` bytes of freed blocks are deferred. 0: every block joins its
 * free neighbours when it is freed, and no call has to do for others. May be called before
 * hs_region_init.
 */
HS_API void hs_region_limit_deferred(hs_region* region, size_t bytes);

/** What hs_region_stats tells, in bytes and counts. Sizes of blocks include their headers. */
typedef struct hs_region_statistics {
  size_t size;               /**< sizeof(hs_region_statistics) of the caller; no more is written */
  size_t buffer_bytes;       /**< the buffers, as they were supplied */
  size_t in_use_bytes;       /**< blocks handed out */
  size_t available_bytes;    /**< free and deferred blocks; the rest of the buffers is edges */
  size_t deferred_bytes;     /**< of these, blocks that have not joined their neighbours yet */
  size_t peak_bytes;         /**< the highest in_use_bytes since the region was started */
  size_t largest_free_bytes; /**< the largest request that a free block can serve as things are */
  size_t metadata_bytes;     /**< control data, and in the buffers headers and what ends them */
  size_t edge_bytes;         /**< bytes at the ends of buffers that no block can use */
  size_t failed_requests;    /**< requests that found no memory, or had a wrong alignment */
  size_t blocks;             /**< blocks of any kind that the buffers are cut into */
  size_t buffers;            /**< buffers that do not adjoin each other */
} hs_region_statistics;

/**
 * Effects: fills in `*out`, whose `size` the caller has set.
 * Returns: 1, or 0 (EINVAL) when `size` is too small to hold any field.
 * Complexity: constant; the largest free block takes a step for each bit of its size.
 */
HS_API int hs_region_stats(const hs_region* region, hs_region_statistics* out);

/** Sizes in the histogram of hs_region_survey_blocks: from 2^(i+4) bytes to below 2^(i+5). */
#define HS_REGION_HISTOGRAM 44

/** What hs_region_survey_blocks finds by looking at every block. */
typedef struct hs_region_survey {
  size_t size;                  /**< sizeof(hs_region_survey) of the caller; no more is written */
  size_t blocks_in_use;         /**< blocks handed out */
  size_t deferred_blocks;       /**< freed, and not joined with their neighbours yet */
  size_t free_blocks;           /**< the others */
  size_t largest_free_bytes;    /**< as in hs_region_statistics */
  size_t alignment_waste_bytes; /**< edge_bytes, and as an estimate 7.5 bytes a block in use */
  size_t free_histogram[HS_REGION_HISTOGRAM];       /**< free blocks by size, with headers … */
  size_t free_histogram_bytes[HS_REGION_HISTOGRAM]; /**< … and their bytes */
} hs_region_survey;

/**
 * Effects: fills in `*out`, whose `size` the caller has set.
 * Returns: 1, or 0 (EINVAL) when `size` is too small to hold any field.
 * Complexity: a walk over all blocks.
 */
HS_API int hs_region_survey_blocks(const hs_region* region, hs_region_survey* out);

/** What becomes of a block. */
typedef enum hs_region_state {
  HS_REGION_FREE = 0,
  HS_REGION_IN_USE = 1,
  HS_REGION_DEFERRED = 2
} hs_region_state;

/** A block as hs_region_for_each_block shows it. */
typedef struct hs_region_block {
  void* pointer;         /**< what the user of the block has or would get */
  size_t bytes;          /**< usable bytes */
  hs_region_state state; /**< the bytes may be read in state HS_REGION_IN_USE only */
} hs_region_block;

/**
 * Effects: calls `visit(context, block)` for every block, in the order of their addresses within a
 * buffer. `visit` must not call the region, except for functions that take it as const.
 */
HS_API void hs_region_for_each_block(const hs_region* region,
                                     void (*visit)(void* context, const hs_region_block* block),
                                     void* context);

/**
 * Effects: walks every block and every list and compares them.
 * Returns: 0 when all invariants hold, or the number of a broken one (hs_region_invariant names
 * it). What is broken in the buffers is never followed outside of them.
 * Complexity: a walk over all blocks, and over all lists of free ones.
 */
HS_API int hs_region_check(const hs_region* region);

/** Returns: the name of the invariant that hs_region_check found broken; "" for 0. */
HS_API const char* hs_region_invariant(int broken);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEAPSMITH_REGION_H */
