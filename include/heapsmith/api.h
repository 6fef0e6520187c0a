/* How the C headers of heapsmith declare functions. */
#ifndef HEAPSMITH_API_H
#define HEAPSMITH_API_H

/* The library exports what is declared with HS_API, and nothing else. */
#if defined(HEAPSMITH_BUILDING)
#define HS_API __attribute__((visibility("default")))
#else
#define HS_API
#endif

/* The function neither throws nor lets an exception pass, so callers may end in a jump to it. */
#ifdef __cplusplus
#define HS_NOTHROW noexcept
#else
#define HS_NOTHROW __attribute__((nothrow))
#endif

#endif /* HEAPSMITH_API_H */
