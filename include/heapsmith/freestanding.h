/* The function that a free-standing program supplies to heapsmith. */
#ifndef HEAPSMITH_FREESTANDING_H
#define HEAPSMITH_FREESTANDING_H

#include "heapsmith/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The program defines this function. heapsmith calls it on misuse, where a hosted program prints
 * "heapsmith: CALL(POINTER): REASON" and aborts. docs/embedded.md has an example.
 *
 * Requires: it does not return, and does not use the region, which may be damaged.
 */
__attribute__((noreturn)) void hs_misuse(const char* call, const void* pointer, const char* reason);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEAPSMITH_FREESTANDING_H */
