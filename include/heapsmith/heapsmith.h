/* The C API of heapsmith's heap: malloc's family under the prefix hs_, and calls that malloc lacks.
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
 * # Results
 * The C functions of heapsmith, here and in the other headers, return results in four ways:
 * - A function that does something returns 0, or an errno value if it fails; errno itself means
 *   nothing then.
 * - A function that returns a pointer returns NULL if it fails, and sets errno.
 * - A function that returns a number of bytes or blocks returns just that.
 * - A function that answers a question, such as hs_region_owns, returns 1 for yes and 0 for no.
 *
 * Functions that mirror libc (hs_posix_memalign, hs_malloc_trim, hs_mallopt …) have the results of
 * libc's functions. A call that fails changes nothing.
 *
 * # Thread safety
 * Any thread may call any function at any time, also in a child process between fork() and exec().
 * Any thread may free any block.
 *
 * # Signal handlers
 * Like malloc, these functions are not async-signal-safe: a signal handler may call them only if it
 * did not interrupt one of them. If a handler breaks this rule in a slow path, its blocks come from
 * memory that is set aside for such calls, so most such programs survive. The few instructions of
 * the fast path have no such guard. Frees of blocks of other threads do not have it either.
 *
 * # Alignment
 * Every block is aligned to 16 bytes, or to more if the function takes an alignment.
 *
 * # Out of memory
 * Functions that return a block return NULL and set errno to ENOMEM if a limit is reached
 * (RLIMIT_AS, the setting limit_bytes, hs_set_limit), if the kernel refuses memory, or if the size
 * is greater than PTRDIFF_MAX.
 *
 * # Misuse
 * Passing a pointer that is not the start of a live block of heapsmith is a misuse. The library
 * aborts the process, with one line on stderr, wherever it detects one. It detects:
 * - every such pointer to memory of large blocks (above 1 MiB);
 * - a second free or a resize of a freed block above 1 KiB that a thread still caches;
 * - a pointer into the middle of a block, if the thread that frees it does not own the block;
 * - a second free of a block that another thread freed, until the owning thread collects the block.
 */

/**
 * The settings of a program, which it may define as one string. docs/environment.md lists them.
 *
 * ```c
 * #include <heapsmith/heapsmith.h>
 *
 * const char hs_settings[] = "limit_bytes=512M,stats=1";
 * ```
 *
 * The string has items NAME=VALUE with commas between them. A variable HEAPSMITH_NAME in the
 * environment replaces an item; an item replaces the default. The library reads the string before
 * it serves the first allocation, so it must be a constant, not filled in by code. Mistakes in it
 * are named on stderr when the process starts; a malformed `limit_bytes` ends the program with
 * status 78.
 *
 * The definition works in programs that link a library of heapsmith, static or shared, and needs no
 * option. A program that is only started under the preload must export it: link it with
 * `-Wl,--export-dynamic-symbol=hs_settings`. Include this header where you define the string: it
 * gives the name C linkage and makes it visible. examples/built_in_settings.cpp is such a program.
 */
extern const char hs_settings[] __attribute__((visibility("default")));

/**
 * Effects: allocates `size` bytes, uninitialised. Size 0 is allowed: the result is a block like any
 * other. Returns: the block, or NULL (ENOMEM). Complexity: constant; about 13 instructions if the
 * size class has a free block.
 */
HS_API void* hs_malloc(size_t size) __attribute__((malloc, alloc_size(1)));

/**
 * Effects: allocates `count * size` bytes, all zero. Memory fresh from the kernel is not cleared
 * again. If the program has filled its last zeroed blocks of 1 MiB or more, the OS pages of a block
 * between 1 MiB and 32 MiB are populated at once.
 * Returns: the block, or NULL (ENOMEM), also if the product overflows.
 */
HS_API void* hs_calloc(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2)));

/**
 * Effects: resizes the block at `p`, in place or by moving it; keeps its contents up to the smaller
 * size. If `p` is NULL, allocates. If `size` is 0, frees `p`.
 * Returns: the block; NULL if `size` is 0; NULL if out of memory (ENOMEM), with the old block
 * intact.
 * Complexity: constant in place; else linear in the smaller size. From 32 MiB on, the kernel moves
 * the block without copying it, unless the kernel refused a mapping for the block.
 */
HS_API void* hs_realloc(void* p, size_t size) __attribute__((alloc_size(2)));

/** As hs_realloc(p, count * size). Errors: ENOMEM also if the product overflows. */
HS_API void* hs_reallocarray(void* p, size_t count, size_t size) __attribute__((alloc_size(2, 3)));

/**
 * Effects: as hs_realloc; a block that moves is aligned to `alignment`.
 * Errors: EINVAL if `alignment` is not a power of two.
 */
HS_API void* hs_aligned_realloc(void* p, size_t alignment, size_t size)
    __attribute__((alloc_size(3)));

/**
 * Effects: frees the block at `p`; does nothing if `p` is NULL. Preserves errno.
 * Complexity: constant; about 19 instructions for a block of the calling thread.
 */
HS_API void hs_free(void* p);

/**
 * Effects: as hs_free. Debug builds of the library abort if `size` cannot be right.
 * Requires: `size` is the size with which the block was allocated or last resized, or the result of
 * hs_malloc_usable_size.
 */
HS_API void hs_free_sized(void* p, size_t size);
/** As hs_free_sized, for blocks of hs_aligned_alloc. */
HS_API void hs_free_aligned_sized(void* p, size_t alignment, size_t size);
/** As hs_free, under the name that old programs use. */
HS_API void hs_cfree(void* p);

/**
 * Effects: allocates `size` bytes at a multiple of `alignment`. An `alignment` that is not a power
 * of two is rounded up to the next one.
 * Returns: the block, or NULL (ENOMEM; EINVAL if `alignment` cannot be rounded up).
 */
HS_API void* hs_memalign(size_t alignment, size_t size) __attribute__((malloc, alloc_size(2)));
/**
 * Effects: allocates `size` bytes at a multiple of `alignment`. `size` may be any size.
 * Returns: the block, or NULL (ENOMEM; EINVAL if `alignment` is not a power of two).
 */
HS_API void* hs_aligned_alloc(size_t alignment, size_t size) __attribute__((malloc, alloc_size(2)));
/**
 * Effects: allocates `size` bytes at a multiple of `alignment`, and stores the block in `*out`.
 * Returns: 0; EINVAL if `alignment` is not a power of two or not a multiple of sizeof(void*);
 * ENOMEM if out of memory, and then errno is set as well. A call that fails leaves `*out`
 * unchanged.
 */
HS_API int hs_posix_memalign(void** out, size_t alignment, size_t size);
/** Effects: allocates `size` bytes at the start of an OS page. */
HS_API void* hs_valloc(size_t size) __attribute__((malloc, alloc_size(1)));
/** As hs_valloc, with `size` rounded up to whole OS pages. */
HS_API void* hs_pvalloc(size_t size) __attribute__((malloc));

/** Returns: the usable size of the block at `p`, at least its requested size; 0 if `p` is NULL. */
HS_API size_t hs_malloc_usable_size(const void* p);

/**
 * Returns: the usable size of a block that is allocated with `size`. Between 32 KiB and 1 MiB a
 * block may have more: up to half, or whole slices of 64 KiB.
 */
HS_API size_t hs_good_size(size_t size);

/**
 * Effects: makes the block at `p` at least `size` bytes long without moving it.
 * Returns: 0; ENOMEM if that is impossible, or `p` is NULL.
 */
HS_API int hs_try_expand(void* p, size_t size);

/**
 * Effects: returns all free memory to the operating system: cached spans, and the slabs of all
 * threads that are wholly free. Slabs of other running threads follow when these threads next leave
 * their fast path.
 * Returns: the number of bytes that this call returned.
 */
HS_API size_t hs_purge(void);
/**
 * Effects: the calling thread gives up its free memory: its wholly free slabs, and blocks of other
 * threads that it kept. All threads can use that memory then. It stays in the process's cache, up
 * to the cap; hs_purge() empties the cache. Call this in a thread that will be idle.
 * Returns: the number of bytes that went to the operating system, because they exceeded the cap.
 */
HS_API size_t hs_thread_purge(void);

/**
 * Effects: puts memory at once behind the next `bytes` bytes that will be allocated, so that their
 * first use causes no page faults. This memory stays until it has been used, or until hs_purge() or
 * a limit takes it back.
 * Returns: 0, or ENOMEM.
 */
HS_API int hs_prefault(size_t bytes);

/**
 * Effects: limits what the process may hold in blocks, caches and metadata to `bytes`; 0 removes
 * the limit. If a request would exceed the limit, cached memory goes back to the operating system
 * first. If that is not enough, the request fails with ENOMEM.
 */
HS_API void hs_set_limit(size_t bytes);

/** The statistics of the heap. Sizes are in bytes. */
typedef struct hs_statistics {
  size_t size; /**< set by the caller to sizeof(hs_statistics); no field beyond is written */
  size_t in_use_bytes;    /**< blocks in use, by the sizes of their classes */
  size_t slab_bytes;      /**< slabs, including their free blocks */
  size_t large_bytes;     /**< large blocks */
  size_t direct_bytes;    /**< direct maps: most blocks of 32 MiB and more */
  size_t cached_bytes;    /**< free spans with memory behind them */
  size_t metadata_bytes;  /**< records and heaps */
  size_t committed_bytes; /**< address space from which spans are taken */
  size_t peak_bytes;      /**< highest sum of spans in use, cached spans, direct maps and heaps */
  size_t heaps;           /**< number of thread heaps made */
  size_t direct_maps;     /**< number of direct maps in use */
  size_t span_takes;      /**< number of times that a span was taken … */
  size_t span_gives;      /**< … and given back */
  size_t growths;         /**< number of times that address space was committed */
  size_t purges;          /**< number of times that cached memory was returned to the system */
  size_t purged_bytes;    /**< number of bytes returned in this way */
  size_t refaults;        /**< slices of 64 KiB that were used again afterwards */
} hs_statistics;

/**
 * Effects: fills in `*out`, whose `size` the caller has set. Walks the slabs while other threads
 * run. If these threads are quiet, in_use_bytes is exact, except for freed small blocks of other
 * threads that a thread keeps for its own next use. A thread keeps at most 64 blocks or 16 KiB of
 * each size class in this way.
 * Returns: 0; EINVAL if `out` is NULL, or `size` is too small for any field.
 * Complexity: linear in the number of slabs.
 */
HS_API int hs_stats(hs_statistics* out);

/** Returns: "MAJOR.MINOR.PATCH". */
HS_API const char* hs_version(void);

/**
 * The tuning and reporting functions of glibc. hs_malloc_trim purges. hs_mallopt takes
 * M_TRIM_THRESHOLD as the cap on cached bytes (a negative value removes the cap) and ignores all
 * other parameters.
 */
HS_API int hs_malloc_trim(size_t pad);
HS_API void hs_malloc_stats(void);
HS_API int hs_malloc_info(int options, FILE* stream);
HS_API int hs_mallopt(int parameter, int value);

/**
 * Effects: from now on, records each call of malloc's family, of operator new and delete, and of
 * the functions of this header and of heap.h, with its thread, time and caller. The record is a new
 * file in the folder `directory`, and `heapsmith pack DIRECTORY -o FILE` makes a trace of it and
 * removes it (docs/recording.md). Only libheapsmith_trace.so records. In all other libraries this
 * function does nothing, so a program may call it always.
 * Returns: 0; ENOSYS in a library that does not record; EINVAL if `directory` is NULL, no absolute
 * path, or longer than 2047 characters; EALREADY while calls are recorded; the error of the file
 * (ENOENT, EACCES, ENOSPC …) if it cannot be made.
 */
HS_API int hs_trace_start(const char* directory);

/**
 * Effects: ends what hs_trace_start() began. The file is complete, except for the events that
 * other threads are writing at this moment. hs_trace_start() begins another file. A forked child
 * has a file of its own, and this function ends only that.
 * Returns: 0; ENOSYS in a library that does not record; EALREADY if no calls are recorded.
 */
HS_API int hs_trace_stop(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

/* The other allocators of the family. */
#include "heapsmith/heap.h"
#include "heapsmith/region.h"

#endif /* HEAPSMITH_HEAPSMITH_H */
