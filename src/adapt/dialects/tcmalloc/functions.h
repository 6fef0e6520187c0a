/* The C interface of gperftools' tcmalloc 2.10 to 2.18, as its headers describe it.
 * docs/dialects.md says which effect it has here. */
#ifndef HEAPSMITH_DIALECTS_TCMALLOC_FUNCTIONS_H
#define HEAPSMITH_DIALECTS_TCMALLOC_FUNCTIONS_H

#include <malloc.h>
#include <stddef.h>

#ifdef __cplusplus
#include <new>
extern "C" {
#endif
#pragma GCC visibility push(default)

/* NOLINTBEGIN(readability-identifier-naming): the names are those of gperftools */

int MallocExtension_VerifyAllMemory(void);
int MallocExtension_VerifyNewMemory(const void* p);
int MallocExtension_VerifyArrayNewMemory(const void* p);
int MallocExtension_VerifyMallocMemory(const void* p);
int MallocExtension_MallocMemoryStats(int* blocks, size_t* total, int histogram[64]);
void MallocExtension_GetStats(char* buffer, int length);
int MallocExtension_GetNumericProperty(const char* property, size_t* value);
int MallocExtension_SetNumericProperty(const char* property, size_t value);
void MallocExtension_MarkThreadIdle(void);
void MallocExtension_MarkThreadBusy(void);
void MallocExtension_MarkThreadTemporarilyIdle(void);
void MallocExtension_ReleaseToSystem(size_t bytes);
void MallocExtension_ReleaseFreeMemory(void);
double MallocExtension_GetMemoryReleaseRate(void);
void MallocExtension_SetMemoryReleaseRate(double rate);
size_t MallocExtension_GetEstimatedAllocatedSize(size_t size);
size_t MallocExtension_GetAllocatedSize(const void* p);
size_t MallocExtension_GetThreadCacheSize(void);

/* 0: unknown, 1: a block of this allocator, 2: none. gperftools has an enumeration here. */
#ifndef HEAPSMITH_DIALECTS_OMIT_OWNERSHIP
int MallocExtension_GetOwnership(const void* p);
#endif
/* NOLINTEND(readability-identifier-naming) */

const char* tc_version(int* major, int* minor, const char** patch);
void* tc_malloc(size_t size);
void* tc_malloc_skip_new_handler(size_t size);
void tc_free(void* p);
void tc_free_sized(void* p, size_t size);
void tc_free_aligned_sized(void* p, size_t alignment, size_t size);
void* tc_realloc(void* p, size_t size);
void* tc_calloc(size_t count, size_t size);
void tc_cfree(void* p);
void* tc_memalign(size_t alignment, size_t size);
int tc_posix_memalign(void** out, size_t alignment, size_t size);
void* tc_valloc(size_t size);
void* tc_pvalloc(size_t size);
void tc_malloc_stats(void);
int tc_mallopt(int parameter, int value);
#ifdef __GLIBC__
struct mallinfo tc_mallinfo(void);
struct mallinfo2 tc_mallinfo2(void);
#endif
size_t tc_malloc_size(void* p);
size_t tc_nallocx(size_t size, int flags);
int tc_set_new_mode(int mode);
int tc_query_new_mode(void);
void* tc_new(size_t size);
void* tc_newarray(size_t size);
void tc_delete(void* p);
void tc_delete_sized(void* p, size_t size);
void tc_deletearray(void* p);
void tc_deletearray_sized(void* p, size_t size);

#ifdef __cplusplus
void* tc_new_nothrow(size_t size, const std::nothrow_t& tag);
void* tc_newarray_nothrow(size_t size, const std::nothrow_t& tag);
void tc_delete_nothrow(void* p, const std::nothrow_t& tag);
void tc_deletearray_nothrow(void* p, const std::nothrow_t& tag);
void* tc_new_aligned(size_t size, std::align_val_t alignment);
void* tc_new_aligned_nothrow(size_t size, std::align_val_t alignment, const std::nothrow_t& tag);
void* tc_newarray_aligned(size_t size, std::align_val_t alignment);
void* tc_newarray_aligned_nothrow(size_t size, std::align_val_t alignment,
                                  const std::nothrow_t& tag);
void tc_delete_aligned(void* p, std::align_val_t alignment);
void tc_delete_sized_aligned(void* p, size_t size, std::align_val_t alignment);
void tc_delete_aligned_nothrow(void* p, std::align_val_t alignment, const std::nothrow_t& tag);
void tc_deletearray_aligned(void* p, std::align_val_t alignment);
void tc_deletearray_sized_aligned(void* p, size_t size, std::align_val_t alignment);
void tc_deletearray_aligned_nothrow(void* p, std::align_val_t alignment, const std::nothrow_t& tag);
#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* HEAPSMITH_DIALECTS_TCMALLOC_FUNCTIONS_H */
