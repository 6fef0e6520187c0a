/* The C API of shared regions: a malloc in memory that several processes map.
 */
#ifndef HEAPSMITH_SHARED_REGION_H
#define HEAPSMITH_SHARED_REGION_H

#include <stddef.h>
#include <stdint.h>

#include "heapsmith/api.h"
#include "heapsmith/region.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How much of a segment the control block takes, at most. */
#define HS_SHARED_REGION_CONTROL_BYTES 16640
/** How many roots a segment has. */
#define HS_SHARED_REGION_ROOTS 16

/**
 * A segment is memory that processes share, such as a mapping of a memfd or of a file, each at an
 * address of its own. One process makes a region in it; others attach to it. What one allocates,
 * another may free. This is one process's view of it; it may be copied, and forgotten.
 * Needs libheapsmith.so or libheapsmith.a.
 *
 * A pointer means nothing to another process. What is to be found by others is stored as an offset
 * (hs_shared_region_to_offset), and the first of all offsets in a root.
 *
 * Requires: zero-initialised before create or attach.
 *
 * # Thread and process safety
 * Any thread of any process at any time, but for create, attach_alone and destroy. One lock is held
 * through every call that changes the region, and is not held while contents are copied. Not in
 * signal handlers.
 *
 * # The death of a process
 * A process may be killed at any instruction, also within a call. The next one that needs the lock
 * is told, makes the lists of free blocks anew from the headers in the segment, and goes on.
 * No block that anyone holds is touched. What the dead process had allocated stays allocated until
 * somebody frees it. A block that it was about to free is free; one that it was about to get is
 * free again, unless it died between the last two or three steps of the call.
 * docs/paths/shared_region.md follows a recovery.
 *
 * # Alignment
 * Every block is aligned to 16 bytes; more where a function takes an alignment, as long as the
 * segment is mapped at a multiple of it in this process. (It is so in another one, if that maps
 * it at such a multiple, too.)
 *
 * # Errors
 * Functions that return a block return NULL and set errno to ENOMEM when no place is large enough;
 * EINVAL when an alignment is no power of two, or the segment is not mapped at a multiple of it;
 * ENOTRECOVERABLE when headers were overwritten before a process died, so that nobody can go on;
 * EDEADLK in a visitor of hs_shared_region_for_each_block. Nothing has changed then.
 * A pointer that is not the start of a live block stops the process with one line on stderr, as it
 * does for a region; other processes go on.
 *
 * # Complexity
 * That of hs_region, and a lock and an unlock of a process-shared mutex. A recovery walks over all
 * blocks.
 */
typedef struct hs_shared_region {
  void* segment; /**< where this process has mapped it; NULL: no region */
} hs_shared_region;

/**
 * Effects: makes a region in a segment. Attaches this process to it.
 * Requires: no other process makes one there at the same time. No process uses what was there.
 * Returns: 0; EINVAL when `segment` is NULL, not aligned to 64 or too small for the control block
 * and one block; EEXIST when there is a shared region already (see hs_shared_region_destroy).
 */
HS_API int hs_shared_region_create(hs_shared_region* region, void* segment, size_t bytes);

/**
 * Effects: lets this process use the region in a segment, of which it has mapped `bytes`. Recovers
 * the region if its last user died in a call.
 * Returns: 0; EINVAL when `segment` is NULL or not aligned to 64; ENODATA when there is no region,
 * or none yet; EPROTO when it was made by an incompatible version; EBADMSG when its control block
 * was overwritten; ERANGE when the mapping is shorter than the segment; ENOTRECOVERABLE when the
 * blocks were overwritten. hs_shared_region_error says it in words.
 */
HS_API int hs_shared_region_attach(hs_shared_region* region, void* segment, size_t bytes);

/**
 * Effects: as attach; the lock is made anew and everything is rebuilt from the headers.
 * Requires: no other process uses the segment. This is for segments in files, which survive the
 * system that would have told of a death.
 */
HS_API int hs_shared_region_attach_alone(hs_shared_region* region, void* segment, size_t bytes);

/** Returns: what an error of these functions means, in English. */
HS_API const char* hs_shared_region_error(int error);

/** Effects: this process no longer uses the region; the region stays. */
HS_API void hs_shared_region_detach(hs_shared_region* region);

/**
 * Effects: ends the region: nobody can attach any more, and the memory is the caller's again.
 * Requires: no other process uses it.
 */
HS_API void hs_shared_region_destroy(hs_shared_region* region);

/** Effects: allocates `size` bytes. Returns: the block in this mapping; NULL for size 0. */
HS_API void* hs_shared_region_malloc(const hs_shared_region* region, size_t size)
    __attribute__((alloc_size(2)));
/** As hs_shared_region_malloc for `count * size` bytes that read as zero; the product is checked.
 */
HS_API void* hs_shared_region_calloc(const hs_shared_region* region, size_t count, size_t size)
    __attribute__((alloc_size(2, 3)));
/** Effects: allocates `size` bytes at a multiple of `alignment`. */
HS_API void* hs_shared_region_aligned_alloc(const hs_shared_region* region, size_t alignment,
                                            size_t size) __attribute__((alloc_size(3)));
/** Effects: ends the block at `p`, whichever process allocated it. NULL: nothing. */
HS_API void hs_shared_region_free(const hs_shared_region* region, void* p);

/**
 * Effects: resizes the block at `p`, keeping contents up to the smaller size. NULL allocates; size
 * 0 frees `p` and returns NULL. Other processes must not use the block meanwhile. If the process
 * dies while it copies, both blocks stay.
 * Returns: the block, or NULL; the old block is intact then.
 */
HS_API void* hs_shared_region_realloc(const hs_shared_region* region, void* p, size_t size)
    __attribute__((alloc_size(3)));
/** As hs_shared_region_realloc, and a moved block is aligned to `alignment`. */
HS_API void* hs_shared_region_aligned_realloc(const hs_shared_region* region, void* p,
                                              size_t alignment, size_t size)
    __attribute__((alloc_size(4)));
/** Effects: makes the block `size` bytes long where it is. Returns: 1, or 0; unchanged then. */
HS_API int hs_shared_region_try_expand(const hs_shared_region* region, void* p, size_t size);

/** Returns: how many bytes of the block at `p` may be used; 0 for NULL. */
HS_API size_t hs_shared_region_usable_size(const hs_shared_region* region, const void* p);
/** Returns: 1 when `p` points into the blocks of the segment as it is mapped here, else 0. */
HS_API int hs_shared_region_owns(const hs_shared_region* region, const void* p);

/** Returns: what other processes can turn into a pointer to the same place; 0 for NULL. */
HS_API uint64_t hs_shared_region_to_offset(const hs_shared_region* region, const void* p);
/** Returns: where the offset is in this mapping; NULL for 0 and for what is not in the segment. */
HS_API void* hs_shared_region_from_offset(const hs_shared_region* region, uint64_t offset);

/**
 * Effects: stores where a block is, for other processes to find. A process that reads it with
 * hs_shared_region_root sees all that was written before. No lock is taken.
 * Requires: `index` is less than HS_SHARED_REGION_ROOTS; `p` is NULL or in the segment.
 */
HS_API void hs_shared_region_set_root(const hs_shared_region* region, unsigned index,
                                      const void* p);
/** Returns: what was stored last, in this mapping; NULL at first. */
HS_API void* hs_shared_region_root(const hs_shared_region* region, unsigned index);
/**
 * Effects: stores `p` if the root is still `expected`, so that of several processes that want to
 * make the first block one does.
 * Returns: 1, or 0 when it was something else.
 */
HS_API int hs_shared_region_replace_root(const hs_shared_region* region, unsigned index,
                                         const void* expected, const void* p);

/** Effects: ends all blocks, of all processes; roots become NULL. */
HS_API int hs_shared_region_reset(const hs_shared_region* region);
/** As hs_region_defragment. */
HS_API size_t hs_shared_region_defragment(const hs_shared_region* region);
/** As hs_region_stats. Returns 0 also without the lock (errno). */
HS_API int hs_shared_region_stats(const hs_shared_region* region, hs_region_statistics* out);
/** Returns: how often the region was recovered from the death of a process. */
HS_API uint64_t hs_shared_region_recoveries(const hs_shared_region* region);

/**
 * Effects: as hs_region_for_each_block, under the lock.
 * Returns: 1, or 0 without the lock (errno).
 */
HS_API int hs_shared_region_for_each_block(const hs_shared_region* region,
                                           void (*visit)(void* context,
                                                         const hs_region_block* block),
                                           void* context);
/** As hs_region_check; -1 without the lock (errno). */
HS_API int hs_shared_region_check(const hs_shared_region* region);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEAPSMITH_SHARED_REGION_H */
