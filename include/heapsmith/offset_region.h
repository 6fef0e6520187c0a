/* The C API of offset regions: blocks of something that is never touched, such as a GPU heap. */
#ifndef HEAPSMITH_OFFSET_REGION_H
#define HEAPSMITH_OFFSET_REGION_H

#include <stddef.h>
#include <stdint.h>

#include "heapsmith/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How large the control data of an offset region is. */
#define HS_OFFSET_REGION_BYTES 7168
/** How large a node is: what is known about one block, live or free. */
#define HS_OFFSET_REGION_NODE_BYTES 32
/** How many pieces a table can have: a buffer is one, or several when it is large. */
#define HS_OFFSET_REGION_PIECES 26

/**
 * An offset region divides the numbers from 0 to its size into blocks. What the numbers mean is the
 * caller's affair: bytes of a GPU heap, of a file, of flash memory, or entries of a table. Nothing
 * is read or written there; all that is known about blocks lies in a table of nodes, whose memory
 * the caller supplies. Needs libheapsmith.so or libheapsmith.a.
 *
 * Free neighbours always merge at once. A request gets the smallest free block that holds it, found
 * by a bounded look: the smallest of all where it has fewer than 1024 units of granularity and the
 * alignment asks for no more than those. Else free blocks that differ by up to a sixteenth count as
 * equal, and when none of the first 16 of these holds it, a larger one is taken. It fails only when
 * no free block holds it.
 *
 * Requires: zero-initialised before hs_offset_region_init, and neither copied nor moved after it.
 *
 * # Thread safety
 * One thread at a time. Different offset regions share nothing.
 *
 * # Misuse
 * A block that was deallocated before, or never existed, is recognised by its generation, a number
 * that comes back only after 2^32 - 1 allocations. What needs a live block then stops the process
 * with one line on stderr; hs_offset_region_owns asks without that.
 *
 * Source: bins under a bitmap as in TLSF (Masmano et al., 2004); external metadata as in GPU memory
 * allocators.
 */
typedef struct hs_offset_region {
#ifdef __cplusplus
  alignas(64) unsigned char opaque[HS_OFFSET_REGION_BYTES];
#else
  _Alignas(64) unsigned char opaque[HS_OFFSET_REGION_BYTES];
#endif
} hs_offset_region;

/** A block: its offset, and what recognises it. `node` is 0 when there is no block. */
typedef struct hs_offset_block {
  uint64_t offset;     /**< where the block begins, a multiple of the granularity */
  uint32_t node;       /**< its number among the nodes: small, and its own while it lives */
  uint32_t generation; /**< tells the block from later ones with the same node; never 0 */
} hs_offset_block;

/** Bytes of table with which `blocks` live blocks never lack a node, however they lie. */
#define HS_OFFSET_REGION_TABLE_BYTES(blocks)                                                       \
  ((2 * (size_t)(blocks) + 2) * HS_OFFSET_REGION_NODE_BYTES)

/**
 * Effects: makes offsets 0 up to `size`, rounded down to `granularity`, available. Offsets and
 * sizes of blocks will be multiples of `granularity`. The table is not read before it is written;
 * it must live as long as the region.
 * Returns: 0; EINVAL when `granularity` is no power of two up to 2^31, when `size` is less than it
 * or above 2^63 - 1, when the table is NULL, not aligned to 8 or too small for 2 nodes; EBUSY when
 * the region has been started already.
 * Complexity: constant.
 */
HS_API int hs_offset_region_init(hs_offset_region* region, uint64_t size, uint64_t granularity,
                                 void* table, size_t table_bytes);

/**
 * Effects: adds memory for further nodes, anywhere. The first piece of a table holds 64 nodes, each
 * next one twice as many; a buffer fills as many pieces as it can, and at least one. So with
 * buffers that double, pieces last for 2^32 nodes.
 * Returns: 0; EINVAL when the buffer is NULL, not aligned to 8 or too small for a node; ENOSPC when
 * all pieces have memory.
 */
HS_API int hs_offset_region_add_table(hs_offset_region* region, void* table, size_t table_bytes);

/**
 * Effects: makes the region `size` large, as when a file has grown.
 * Returns: 0; EINVAL when that is less than before or above 2^63 - 1; ENOBUFS without a node.
 */
HS_API int hs_offset_region_grow(hs_offset_region* region, uint64_t size);

/**
 * Effects: allocates `bytes`, rounded up to the granularity, at a multiple of `align`, a power of
 * two. Size 0 allocates the smallest block.
 * Returns: the block; one with node 0 and errno ENOMEM when no free block holds it, ENOBUFS when
 * the table lacks a node for what remains of the free block, EINVAL when `align` is no power of
 * two. Complexity: constant; but linear in the free blocks that are as large before a failure, and
 * where only the position of a block makes it suitable for the alignment.
 */
HS_API hs_offset_block hs_offset_region_allocate(hs_offset_region* region, uint64_t bytes,
                                                 uint64_t align);

/**
 * Effects: ends the block; it merges with free neighbours. A block with node 0: nothing.
 * Complexity: constant.
 */
HS_API void hs_offset_region_deallocate(hs_offset_region* region, hs_offset_block block);

/**
 * Effects: makes the block `bytes` long where it is: what it needs more is taken from a free
 * neighbour behind it, what it needs less is available at once.
 * Returns: 1, or 0 when that is not possible (without memory behind the block, or without a node
 * for what it gives up); the block is unchanged then. Complexity: constant.
 */
HS_API int hs_offset_region_try_expand(hs_offset_region* region, hs_offset_block block,
                                       uint64_t bytes);

/** Returns: the block's size, rounded up to the granularity. */
HS_API uint64_t hs_offset_region_size_of(const hs_offset_region* region, hs_offset_block block);

/** Returns: 1 when `block` is a live block of the region. */
HS_API int hs_offset_region_owns(const hs_offset_region* region, hs_offset_block block);

/** Effects: ends all blocks; size and table stay. Complexity: constant. */
HS_API void hs_offset_region_reset(hs_offset_region* region);

/** Effects: ends all blocks and forgets the table. The region may be started again. */
HS_API void hs_offset_region_destroy(hs_offset_region* region);

/** What hs_offset_region_stats tells, in bytes (or what the offsets count) and counts. */
typedef struct hs_offset_region_statistics {
  size_t size;                 /**< sizeof of the caller; fields beyond it are not written */
  size_t blocks;               /**< live blocks */
  size_t free_blocks;          /**< free blocks, no two of them neighbours */
  size_t failed_requests;      /**< since init: allocations that failed, also for want of a node */
  size_t nodes;                /**< nodes the table has room for */
  size_t nodes_in_use;         /**< of them, those of blocks, of free blocks and of the end */
  uint64_t total_bytes;        /**< the size of the region */
  uint64_t in_use_bytes;       /**< in live blocks */
  uint64_t available_bytes;    /**< in free blocks */
  uint64_t largest_free_bytes; /**< the largest free block; a walk over the highest bin */
  uint64_t waste_bytes;        /**< of in_use_bytes, what rounding to the granularity added */
  uint64_t peak_bytes;         /**< highest in_use_bytes since init or reset */
} hs_offset_region_statistics;

/**
 * Effects: fills in `*out`, whose `size` the caller has set.
 * Returns: 1, or 0 (EINVAL) when `size` is too small to hold any field.
 * Complexity: constant, but for the free blocks of the highest bin.
 */
HS_API int hs_offset_region_stats(const hs_offset_region* region, hs_offset_region_statistics* out);

/** One block as hs_offset_region_for_each_block shows it. */
typedef struct hs_offset_region_view {
  hs_offset_block block; /**< of a free block the generation is 0 */
  uint64_t bytes;        /**< its size */
  int in_use;            /**< 1: a live block; 0: a free one */
} hs_offset_region_view;

/**
 * Effects: shows every block, live or free, in the order of offsets.
 * Requires: `visit` does not change the region.
 */
HS_API void hs_offset_region_for_each_block(const hs_offset_region* region,
                                            void (*visit)(void* context,
                                                          const hs_offset_region_view* view),
                                            void* context);

/**
 * Effects: walks every node and every list and compares them.
 * Returns: 0 when all invariants hold, or the number of a broken one (hs_offset_region_invariant
 * names it).
 * Complexity: a walk over all nodes.
 */
HS_API int hs_offset_region_check(const hs_offset_region* region);

/** Returns: the name of the invariant that hs_offset_region_check found broken; "" for 0. */
HS_API const char* hs_offset_region_invariant(int broken);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEAPSMITH_OFFSET_REGION_H */
