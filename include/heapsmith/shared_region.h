/* The C API of shared regions: a malloc in memory that several processes map. */
#ifndef HEAPSMITH_SHARED_REGION_H
#define HEAPSMITH_SHARED_REGION_H

#if defined(_WIN32)
#error "Shared regions are for Linux. In one process, use region.h: docs/windows.md"
#endif

#include <stddef.h>
#include <stdint.h>

#include "heapsmith/api.h"
#include "heapsmith/region.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes of a segment that its control block takes. */
#define HS_SHARED_REGION_CONTROL_BYTES 16640
/** The number of roots of a segment. */
#define HS_SHARED_REGION_ROOTS 16

/**
 * A segment is memory that several processes map, such as a memfd or a file, each process at an
 * address of its own. One process makes a region in it, and the others attach to it. A block that
 * one process allocated may be freed by another. This structure is one process's view of the
 * region; it may be copied and discarded. Needs libheapsmith.so or libheapsmith.a.
 *
 * A pointer is not valid in another process. Processes find each other's blocks by offsets
 * (hs_shared_region_to_offset), and the first of these in a root.
 *
 * Requires: the structure is zero-initialised before create or attach.
 *
 * # Results
 * As described in heapsmith.h.
 *
 * # Thread and process safety
 * Any thread of any process may call any function at any time, except create, attach_alone and
 * destroy. Every call that changes the region holds one lock; it is not held while contents are
 * copied. Signal handlers must not call these functions. The processes may run in containers with
 * PID namespaces of their own. A process that a visitor forks does not hold the lock.
 *
 * # The death of a process
 * A process may be killed at any instruction, also within a call. The next process that takes the
 * lock learns of the death, rebuilds the lists of free blocks from the headers in the segment, and
 * goes on. No live block is touched. Blocks of the dead process stay allocated until they are
 * freed. A block that it was about to free is free. A block that it was about to get is free again,
 * unless it died within the last two or three instructions of the call.
 * docs/paths/shared_region.md follows a recovery.
 *
 * # Alignment
 * Every block is aligned to 16 bytes, or to more if the function takes an alignment. This process
 * must have mapped the segment at a multiple of that alignment. In another process the block is
 * aligned if that process has done so too.
 *
 * # Errors
 * These errors are set in errno or returned, as the function does:
 * - ENOMEM: no free part of the segment is large enough.
 * - EINVAL: the alignment is not a power of two, or the segment is not mapped at a multiple of it;
 *   or the view is not attached to a segment.
 * - ENOTRECOVERABLE: headers were overwritten before a process died, so no process can go on.
 * - EDEADLK: the caller is a visitor of hs_shared_region_for_each_block.
 *
 * # Misuse
 * As for hs_region: passing a pointer that is not the start of a live block aborts the calling
 * process. The other processes go on.
 *
 * # Complexity
 * As for hs_region, plus locking and unlocking a mutex that processes share. A recovery is linear
 * in the number of blocks.
 */
typedef struct hs_shared_region {
  void* segment; /**< where this process has mapped the segment; NULL if it is not attached */
} hs_shared_region;

/**
 * Effects: makes a region in a segment, and attaches this process to it.
 * Requires: no other process makes a region there at the same time, and no process uses the memory
 * for anything else.
 * Returns: 0; EINVAL if `segment` is NULL, not aligned to 64, or too small for the control block
 * and one block; EEXIST if it holds a shared region already (see hs_shared_region_destroy).
 */
HS_API int hs_shared_region_create(hs_shared_region* region, void* segment, size_t bytes);

/**
 * Effects: attaches this process to the region in a segment, of which it has mapped `bytes`.
 * Recovers the region if its last user died in a call.
 * Returns: 0; EINVAL if `segment` is NULL or not aligned to 64; ENODATA if it holds no region, or
 * none yet; EPROTO if an incompatible version made the region; EBADMSG if the control block was
 * overwritten; ERANGE if the mapping is shorter than the segment; ENOTRECOVERABLE if the blocks
 * were overwritten. hs_shared_region_error describes them.
 */
HS_API int hs_shared_region_attach(hs_shared_region* region, void* segment, size_t bytes);

/**
 * Effects: as attach, but initialises the lock and rebuilds everything from the headers. Use it for
 * a segment in a file after a restart of the system: the system then does not know whether a
 * process died.
 * Requires: no other process uses the segment.
 * Returns: as attach.
 */
HS_API int hs_shared_region_attach_alone(hs_shared_region* region, void* segment, size_t bytes);

/** Returns: a description, in English, of an error that these functions return. */
HS_API const char* hs_shared_region_error(int error);

/** Effects: detaches this process; the region stays. */
HS_API void hs_shared_region_detach(hs_shared_region* region);

/**
 * Effects: ends the region: no process can attach any more, and the memory is the caller's again.
 * Requires: no other process uses the region.
 */
HS_API void hs_shared_region_destroy(hs_shared_region* region);

/**
 * Effects: allocates `size` bytes, uninitialised.
 * Returns: the block, as mapped in this process; NULL if `size` is 0; NULL if that fails (errno).
 */
HS_API void* hs_shared_region_malloc(const hs_shared_region* region, size_t size)
    __attribute__((alloc_size(2)));
/**
 * Effects: allocates `count * size` bytes, all zero.
 * Returns: as hs_shared_region_malloc; NULL (ENOMEM) also if the product overflows.
 */
HS_API void* hs_shared_region_calloc(const hs_shared_region* region, size_t count, size_t size)
    __attribute__((alloc_size(2, 3)));
/** As hs_shared_region_malloc, at a multiple of `alignment`. */
HS_API void* hs_shared_region_aligned_alloc(const hs_shared_region* region, size_t alignment,
                                            size_t size) __attribute__((alloc_size(3)));
/**
 * Effects: frees the block at `p`, of any process; does nothing if `p` is NULL.
 * Returns: 0, or an error of the lock; the block is not freed then.
 */
HS_API int hs_shared_region_free(const hs_shared_region* region, void* p);

/**
 * Effects: resizes the block at `p`, in place or by moving it; keeps its contents up to the smaller
 * size. If `p` is NULL, allocates. If `size` is 0, frees `p`. If the process dies while it copies,
 * both blocks stay.
 * Requires: no other process uses the block meanwhile.
 * Returns: the block; NULL if `size` is 0; NULL if that fails (errno), with the old block intact.
 */
HS_API void* hs_shared_region_realloc(const hs_shared_region* region, void* p, size_t size)
    __attribute__((alloc_size(3)));
/** As hs_shared_region_realloc; a block that moves is aligned to `alignment`. */
HS_API void* hs_shared_region_aligned_realloc(const hs_shared_region* region, void* p,
                                              size_t alignment, size_t size)
    __attribute__((alloc_size(4)));
/**
 * Effects: makes the block at `p` `size` bytes long without moving it.
 * Returns: 0; ENOMEM if that is impossible, or `p` is NULL; or an error of the lock.
 */
HS_API int hs_shared_region_try_expand(const hs_shared_region* region, void* p, size_t size);

/** Returns: the usable size of the block at `p`; 0 if `p` is NULL. */
HS_API size_t hs_shared_region_usable_size(const hs_shared_region* region, const void* p);
/** Returns: 1 if `p` points into the blocks of the segment, as mapped in this process; else 0. */
HS_API int hs_shared_region_owns(const hs_shared_region* region, const void* p);

/**
 * Returns: the offset of `p`, which other processes can turn into a pointer; 0 if `p` is NULL.
 */
HS_API uint64_t hs_shared_region_to_offset(const hs_shared_region* region, const void* p);
/** Returns: a pointer in this mapping; NULL if `offset` is 0 or not in the segment. */
HS_API void* hs_shared_region_from_offset(const hs_shared_region* region, uint64_t offset);

/**
 * Effects: stores the position of a block for other processes to find. A process that reads it with
 * hs_shared_region_root sees everything that was written before. Takes no lock.
 * Requires: `index` is less than HS_SHARED_REGION_ROOTS; `p` is NULL or in the segment.
 */
HS_API void hs_shared_region_set_root(const hs_shared_region* region, unsigned index,
                                      const void* p);
/** Returns: the pointer that was stored last, in this mapping; NULL at first. */
HS_API void* hs_shared_region_root(const hs_shared_region* region, unsigned index);
/**
 * Effects: stores `p` if the root is `expected`. So exactly one of several processes can make the
 * first block.
 * Returns: 0; EAGAIN if the root was not `expected`.
 */
HS_API int hs_shared_region_replace_root(const hs_shared_region* region, unsigned index,
                                         const void* expected, const void* p);

/**
 * Effects: ends all blocks, of all processes, and sets the roots to NULL.
 * Returns: 0, or an error of the lock.
 */
HS_API int hs_shared_region_reset(const hs_shared_region* region);
/** As hs_region_defragment. Returns 0 and sets errno if the lock cannot be taken. */
HS_API size_t hs_shared_region_defragment(const hs_shared_region* region);
/** As hs_region_stats. Returns an error of the lock, too. */
HS_API int hs_shared_region_stats(const hs_shared_region* region, hs_region_statistics* out);
/** Returns: how often the region was recovered after the death of a process. */
HS_API uint64_t hs_shared_region_recoveries(const hs_shared_region* region);

/**
 * Effects: as hs_region_for_each_block, holding the lock.
 * Returns: 0, or an error of the lock.
 */
HS_API int hs_shared_region_for_each_block(const hs_shared_region* region,
                                           void (*visit)(void* context,
                                                         const hs_region_block* block),
                                           void* context);
/** As hs_region_check. Returns -1 and sets errno if the lock cannot be taken. */
HS_API int hs_shared_region_check(const hs_shared_region* region);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEAPSMITH_SHARED_REGION_H */
