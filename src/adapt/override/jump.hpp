// A call that ends a function and leaves its caller's address to the next one, which looks at it.
#pragma once

#ifdef __clang__
#define HS_JUMPS
#define HS_JUMP [[clang::musttail]] return
#else
#define HS_JUMPS __attribute__((optimize("O2")))  // in a build without optimisation, too
#define HS_JUMP return
#endif
