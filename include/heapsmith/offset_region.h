/* The C API of offset regions: blocks of something that is never touched, such as a GPU heap. */
#ifndef HEAPSMITH_OFFSET_REGION_H
#define HEAPSMITH_OFFSET_REGION_H

#include <stddef.h>
#include <stdint.h>

#include "heapsmith/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The size of an offset region's control data. */
#define HS_OFFSET_REGION_BYTES 7168
/** The size of a node, which describes one block, live or free. */
#define HS_OFFSET_REGION_NODE_BYTES 32
/** The most pieces a table can have. A buffer is one piece, or several if it is large. */
#define HS_OFFSET_REGION_PIECES 26

/**
 * An offset region divides the numbers from 0 to its size into blocks. The caller decides what the
 * numbers mean: bytes of a GPU heap, of a file or of flash memory, or entries of a table. The
 * region never accesses them. It describes blocks in a table of nodes, whose memory the caller
 * supplies. Needs libheapsmith.so or libheapsmith.a.
 *
 * Free neighbours merge at once. A bounded search looks for the smallest free block that holds the
 * request:
 * - If the block that it finds has fewer than 1024 units of granularity, and `align` is at most one
 *   unit, no smaller free block holds the request.
 * - Otherwise free blocks whose sizes differ by up to a sixteenth count as equal. If the first 16
 *   of them do not hold the request, a larger block serves it.
 * A request fails for lack of space only if no larger block is free, and the first 256 blocks that
 * may hold the request do not hold it.
 *
 * Requires: the structure is zero-initialised before hs_offset_region_init, and is neither copied
 * nor moved after it.
 *
 * # Results
 * As described in heapsmith.h.
 *
 * # Thread safety
 * None: one thread at a time may use a region. Different regions share nothing.
 *
 * # Misuse
 * Passing a block that is not live, where a live one is required, aborts the process with one line
 * on stderr. The region recognises live blocks by their generation, a number that repeats only
 * after 2^32 - 1 allocations. hs_offset_region_owns accepts any block and says whether it is live.
 *
 * Source: bins under a bitmap as in TLSF (Masmano et al., 2004); metadata outside the blocks as in
 * GPU memory allocators.
 */
typedef struct hs_offset_region {
#ifdef __cplusplus
  alignas(64) unsigned char opaque[HS_OFFSET_REGION_BYTES];
#else
  _Alignas(64) unsigned char opaque[HS_OFFSET_REGION_BYTES];
#endif
} hs_offset_region;

/** A block; or no block, if `node` is 0. */
typedef struct hs_offset_block {
  uint64_t offset;     /**< where the block begins, a multiple of the granularity */
  uint32_t node;       /**< the number of its node: small, and unique among live blocks */
  uint32_t generation; /**< distinguishes the block from later ones with this node; never 0 */
} hs_offset_block;

/** Bytes of table that suffice for `blocks` live blocks, however they lie. */
#define HS_OFFSET_REGION_TABLE_BYTES(blocks)                                                       \
  ((2 * (size_t)(blocks) + 2) * HS_OFFSET_REGION_NODE_BYTES)

/**
 * Effects: starts a region over the offsets from 0 to `size`, rounded down to `granularity`.
 * Offsets and sizes of blocks will be multiples of `granularity`. The table need not be
 * initialised; it must live as long as the region.
 * Returns: 0; EINVAL if `granularity` is not a power of two or above 2^31, if `size` is less than
 * `granularity` or above 2^63 - 1, or if the table is NULL, not aligned to 8 or too small for 2
 * nodes; EBUSY if the region has been started already.
 * Complexity: constant.
 */
HS_API int hs_offset_region_init(hs_offset_region* region, uint64_t size, uint64_t granularity,
                                 void* table, size_t table_bytes);

/**
 * Effects: adds memory for more nodes, at any address. The first piece of a table holds 64 nodes,
 * and each following piece twice as many. A buffer fills as many pieces as it can, and at least
 * one; so if each buffer is twice as large as the one before, the pieces suffice for 2^32 nodes.
 * Returns: 0; EINVAL if the buffer is NULL, not aligned to 8 or too small for a node; ENOSPC if all
 * pieces have memory.
 */
HS_API int hs_offset_region_add_table(hs_offset_region* region, void* table, size_t table_bytes);

/**
 * Effects: increases the size of the region to `size`, for example after a file has grown.
 * Returns: 0; EINVAL if `size` is less than before or above 2^63 - 1; ENOBUFS if the table has no
 * free node.
 */
HS_API int hs_offset_region_grow(hs_offset_region* region, uint64_t size);

/**
 * Effects: allocates `bytes`, rounded up to the granularity, at a multiple of `align`. If `bytes`
 * is 0, allocates the smallest block.
 * Returns: the block. On failure its node is 0, and errno is set: ENOMEM if no free block holds the
 * request (see hs_offset_region), ENOBUFS if the table has no free node for the rest of the free
 * block, EINVAL if `align` is not a power of two.
 * Complexity: constant. At most 256 free blocks are looked at.
 */
HS_API hs_offset_block hs_offset_region_allocate(hs_offset_region* region, uint64_t bytes,
                                                 uint64_t align);

/**
 * Effects: ends the block and merges it with its free neighbours; does nothing if its node is 0.
 * Complexity: constant.
 */
HS_API void hs_offset_region_deallocate(hs_offset_region* region, hs_offset_block block);

/**
 * Effects: makes the block `bytes` long without moving it. It grows into a free block behind it, or
 * shrinks and frees the rest.
 * Returns: 0; ENOMEM if the free space behind the block is too small; ENOBUFS if the table has no
 * free node for the rest.
 * Complexity: constant.
 */
HS_API int hs_offset_region_try_expand(hs_offset_region* region, hs_offset_block block,
                                       uint64_t bytes);

/** Returns: the size of the block, rounded up to the granularity. */
HS_API uint64_t hs_offset_region_size_of(const hs_offset_region* region, hs_offset_block block);

/** Returns: 1 if `block` is a live block of the region, else 0. */
HS_API int hs_offset_region_owns(const hs_offset_region* region, hs_offset_block block);

/** Effects: ends all blocks; size and table stay. Complexity: constant. */
HS_API void hs_offset_region_reset(hs_offset_region* region);

/** Effects: ends all blocks and forgets the table. The region may be started again. */
HS_API void hs_offset_region_destroy(hs_offset_region* region);

/** The statistics of an offset region. Sizes are in bytes, or in what the offsets count. */
typedef struct hs_offset_region_statistics {
  size_t size;                 /**< set by the caller to the size of this structure */
  size_t blocks;               /**< number of live blocks */
  size_t free_blocks;          /**< number of free blocks, no two of them neighbours */
  size_t failed_requests;      /**< allocations that failed since init */
  size_t nodes;                /**< number of nodes for which the table has room */
  size_t nodes_in_use;         /**< number of nodes in use: one for each block, and one more */
  uint64_t total_bytes;        /**< the size of the region */
  uint64_t in_use_bytes;       /**< size of all live blocks */
  uint64_t available_bytes;    /**< size of all free blocks */
  uint64_t largest_free_bytes; /**< size of the largest free block */
  uint64_t waste_bytes;        /**< part of in_use_bytes that rounding to the granularity added */
  uint64_t peak_bytes;         /**< highest in_use_bytes since init or reset */
} hs_offset_region_statistics;

/**
 * Effects: fills in `*out`, whose `size` the caller has set.
 * Returns: 0; EINVAL if `out` is NULL, or `size` is too small for any field.
 * Complexity: linear in the number of free blocks in the highest bin.
 */
HS_API int hs_offset_region_stats(const hs_offset_region* region, hs_offset_region_statistics* out);

/** A block, as hs_offset_region_for_each_block passes it to its visitor. */
typedef struct hs_offset_region_view {
  hs_offset_block block; /**< its generation is 0 if it is free */
  uint64_t bytes;        /**< its size */
  int in_use;            /**< 1 if it is live, 0 if it is free */
} hs_offset_region_view;

/**
 * Effects: calls `visit(context, view)` for every block, live or free, in the order of offsets.
 * Requires: `visit` does not change the region.
 */
HS_API void hs_offset_region_for_each_block(const hs_offset_region* region,
                                            void (*visit)(void* context,
                                                          const hs_offset_region_view* view),
                                            void* context);

/**
 * Effects: walks all nodes and all lists, and compares them.
 * Returns: 0 if all invariants hold; else the number of a broken one, which
 * hs_offset_region_invariant names.
 * Complexity: linear in the number of nodes.
 */
HS_API int hs_offset_region_check(const hs_offset_region* region);

/** Returns: the name of the invariant with this number; "" for 0. */
HS_API const char* hs_offset_region_invariant(int broken);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEAPSMITH_OFFSET_REGION_H */
