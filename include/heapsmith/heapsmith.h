/* The C API of heapsmith's heap: malloc and its family under the prefix hs_, and what malloc lacks.
 */
#ifndef HEAPSMITH_HEAPSMITH_H
#define HEAPSMITH_HEAPSMITH_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "heapsmith/api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEAPSMITH_VERSION_MAJOR 0
#define HEAPSMITH_VERSION_MINOR 1
#define HEAPSMITH_VERSION_PATCH 0

/**
 * # Thread safety
 * Every function may be called from any thread at any time, also between fork() and exec() in the
 * child. A block may be freed by another thread than the one that allocated it.
 *
 * # Signal handlers
 * As malloc's, these functions are not async-signal-safe: a handler may call them only if it did
 * not interrupt one of them. Where a handler interrupts a slow path it is served from memory apart,
 * so most programs that break this rule live on; the few instructions of the common path, and frees
 * of blocks of other threads, have no such guard.
 *
 * # Alignment
 * Every block is aligned to 16 bytes; more where a function takes an alignment.
 *
 * # Errors
 * Without memory (RLIMIT_AS, HEAPSMITH_LIMIT_BYTES, the kernel's refusal, a size above PTRDIFF_MAX)
 * functions that return a block return NULL and set errno to ENOMEM; nothing has changed then.
 * A pointer that is not the start of a live block of heapsmith's stops the process with one line on
 * stderr, where that is noticed: always for large blocks, for what is not the start of a block when
 * another thread frees it, and for blocks that other threads freed and nobody collected yet.
 */

/**
 * Effects: allocates `size` bytes, uninitialised. Size 0 allocates a block that may be freed.
 * Returns: the block, or NULL (ENOMEM).
 * Complexity: constant; about 13 instructions when the size class has a free block.
 */
HS_API void* hs_malloc(size_t size) __attribute__((malloc, alloc_size(1)));

/**
 * Effects: allocates `count * size` bytes that read as zero; the product is checked for overflow.
 * Memory fresh from the kernel is not cleared again; below 32 MiB its OS pages are got at once.
 * Returns: the block, or NULL (ENOMEM).
 */
HS_API void* hs_calloc(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));

/**
 * Effects: resizes the block at `p` in place or by moving it, keeping contents up to the smaller
 * size. NULL allocates; size 0 frees `p` and returns NULL.
 * Returns: the block, or NULL (ENOMEM); the old block is intact then.
 * Complexity: constant in place; else the smaller size is copied, or moved by the kernel from 32
 * MiB on.
 */
HS_API void* hs_realloc(void* p, size_t size) __attribute__((alloc_size(2)));

/** As hs_realloc(p, count * size), the product checked for overflow (ENOMEM). */
HS_API void* hs_reallocarray(void* p, size_t count, size_t size) __attribute__((alloc_size(2, 3)));

/**
 * Effects: as hs_realloc, and a moved block is aligned to `alignment`, a power of two.
 * Errors: NULL and EINVAL when `alignment` is none.
 */
HS_API void* hs_aligned_realloc(void* p, size_t alignment, size_t size)
    __attribute__((alloc_size(3)));

/**
 * Effects: ends the block at `p`. NULL: nothing. errno is kept.
 * Complexity: constant; about 19 instructions for a block of the calling thread.
 */
HS_API void hs_free(void* p);

/**
 * As hs_free. `size` is what the block was asked with or resized to last, or what
 * hs_malloc_usable_size told. Debug builds of the library stop at a size that cannot be right.
 */
HS_API void hs_free_sized(void* p, size_t size);
/** As hs_free, for blocks of hs_aligned_alloc. */
HS_API void hs_free_aligned_sized(void* p, size_t alignment, size_t size);
/** As hs_free; the name of an older interface. */
HS_API void hs_cfree(void* p);

/**
 * Effects: allocates `size` bytes at a multiple of `alignment`. What is no power of two is rounded
 * up to the next one.
 * Returns: the block, or NULL (ENOMEM; EINVAL when no power of two is large enough).
 */
HS_API void* hs_memalign(size_t alignment, size_t size) __attribute__((malloc, alloc_size(2)));
/** As hs_memalign; `alignment` must be a power of two (EINVAL). `size` need not be a multiple. */
HS_API void* hs_aligned_alloc(size_t alignment, size_t size) __attribute__((malloc, alloc_size(2)));
/**
 * Effects: stores the block in *out.
 * Returns: 0, EINVAL (no power of two, or no multiple of sizeof(void*)) or ENOMEM, for which errno
 * is set too; *out is unchanged then.
 */
HS_API int hs_posix_memalign(void** out, size_t alignment, size_t size);
/** A block at the start of an OS page. */
HS_API void* hs_valloc(size_t size) __attribute__((malloc, alloc_size(1)));
/** A block of whole OS pages at the start of one. */
HS_API void* hs_pvalloc(size_t size) __attribute__((malloc));

/** Returns: how many bytes of the block at `p` may be used, at least what was asked; 0 for NULL. */
HS_API size_t hs_malloc_usable_size(const void* p);

/** Returns: how many bytes a request of `size` bytes will be able to use. */
HS_API size_t hs_good_size(size_t size);

/**
 * Effects: makes the block at `p` at least `size` bytes long without moving it.
 * Returns: 1, or 0 when that is not possible; the block is unchanged then.
 */
HS_API int hs_try_expand(void* p, size_t size);

/**
 * Effects: gives the memory of everything free back to the OS: cached spans, and wholly free slabs
 * of all threads. Partly free slabs of running threads follow on those threads' next slow path.
 * Returns: the bytes given back by this call.
 */
HS_API size_t hs_purge(void);
/**
 * Effects: the calling thread lets go of all that it holds free: its wholly free slabs, and blocks
 * of other threads. They serve every thread then, and stay in the process's cache up to its cap;
 * hs_purge() empties that too. For threads that will be idle.
 * Returns: the bytes that went back to the OS, because they exceeded the cap.
 */
HS_API size_t hs_thread_purge(void);

/**
 * Effects: backs `bytes` of the memory that will be allocated next with pages now, so that it is
 * used without page faults. It is kept until it was used, or hs_purge() or a limit takes it back.
 * Returns: 1, or 0 (ENOMEM).
 */
HS_API int hs_prefault(size_t bytes);

/**
 * Effects: the process may hold at most `bytes` in blocks, caches and metadata; 0: no limit.
 * Requests beyond fail with ENOMEM after what is cached was given back.
 */
HS_API void hs_set_limit(size_t bytes);

/** What hs_stats tells, in bytes and counts. */
typedef struct hs_statistics {
  size_t size;         /**< sizeof(hs_statistics) of the caller; fields beyond it are not written */
  size_t in_use_bytes; /**< blocks handed out, in their size classes */
  size_t slab_bytes;   /**< slabs, with their free blocks */
  size_t large_bytes;  /**< large blocks */
  size_t direct_bytes; /**< direct maps, from 32 MiB on */
  size_t cached_bytes; /**< free spans with memory behind them */
  size_t metadata_bytes;  /**< records and heaps */
  size_t committed_bytes; /**< address space that spans are taken from */
  size_t peak_bytes;      /**< highest sum of spans held and cached, direct maps and heaps */
  size_t heaps;           /**< thread heaps made */
  size_t direct_maps;     /**< direct maps that exist */
  size_t span_takes;      /**< spans engines took … */
  size_t span_gives;      /**< … and gave back */
  size_t growths;         /**< times more address space was made usable */
  size_t purges;          /**< times cached memory went back to the OS */
  size_t purged_bytes;    /**< how much did */
  size_t refaults;        /**< slices needed again after that */
} hs_statistics;

/**
 * Effects: fills in `*out`, whose `size` the caller has set. Blocks in use are counted by walking
 * the slabs while other threads go on: exact when they are quiet, but for freed blocks that threads
 * keep for their own next use, at most 64 or 16 KiB a size class.
 * Returns: 1, or 0 (EINVAL) when `size` is too small to hold any field.
 * Complexity: a walk over the slabs.
 */
HS_API int hs_stats(hs_statistics* out);

/** Returns: "MAJOR.MINOR.PATCH". */
HS_API const char* hs_version(void);

/**
 * glibc's tuning and reporting calls, for programs that use them: hs_malloc_trim purges, hs_mallopt
 * takes M_TRIM_THRESHOLD as the cap on cached bytes (negative: none) and ignores the rest.
 */
HS_API int hs_malloc_trim(size_t pad);
HS_API void hs_malloc_stats(void);
HS_API int hs_malloc_info(int options, FILE* stream);
HS_API int hs_mallopt(int parameter, int value);

#ifdef __cplusplus
} /* extern "C" */
#endif

/* The other allocators of the family. */
#include "heapsmith/heap.h"
#include "heapsmith/region.h"

#endif /* HEAPSMITH_HEAPSMITH_H */
