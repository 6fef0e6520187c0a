/* The non-standard functions of jemalloc 5.3, as its manual describes them. docs/dialects.md says
 * which effect they have here. */
#ifndef HEAPSMITH_DIALECTS_JEMALLOC_FUNCTIONS_H
#define HEAPSMITH_DIALECTS_JEMALLOC_FUNCTIONS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

void* mallocx(size_t size, int flags);
void* rallocx(void* p, size_t size, int flags);
size_t xallocx(void* p, size_t size, size_t extra, int flags);
size_t sallocx(const void* p, int flags);
void dallocx(void* p, int flags);
void sdallocx(void* p, size_t size, int flags);
size_t nallocx(size_t size, int flags);

int mallctl(const char* name, void* old, size_t* old_length, void* fresh, size_t fresh_length);
int mallctlnametomib(const char* name, size_t* mib, size_t* mib_length);
int mallctlbymib(const size_t* mib, size_t mib_length, void* old, size_t* old_length, void* fresh,
                 size_t fresh_length);
void malloc_stats_print(void (*write)(void* with, const char* text), void* with,
                        const char* options);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif /* HEAPSMITH_DIALECTS_JEMALLOC_FUNCTIONS_H */
