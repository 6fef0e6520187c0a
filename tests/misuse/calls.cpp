// Fills the table with hs_ functions, or with plain malloc's when MISUSE_PLAIN_NAMES is defined.
#include "calls.hpp"

#ifdef MISUSE_PLAIN_NAMES

#include <malloc.h>
#include <stdlib.h>

#include <new>

const calls heap = {malloc,
                    free,
                    calloc,
                    realloc,
                    reallocarray,
                    memalign,
                    aligned_alloc,
                    posix_memalign,
                    valloc,
                    pvalloc,
                    malloc_usable_size,
                    [](void* p, std::size_t size) { ::operator delete(p, size); }};

#else

#include "heapsmith/heapsmith.h"

const calls heap = {hs_malloc,
                    hs_free,
                    hs_calloc,
                    hs_realloc,
                    hs_reallocarray,
                    hs_memalign,
                    hs_aligned_alloc,
                    hs_posix_memalign,
                    hs_valloc,
                    hs_pvalloc,
                    [](void* p) { return hs_malloc_usable_size(p); },
                    hs_free_sized};

#endif
