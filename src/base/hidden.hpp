// A class or function that other sources of the same library use. Known to be hidden, it is called
// without a detour through a table, which takes a byte more, too.
#pragma once

#if defined(__ELF__)
#define HS_HIDDEN [[gnu::visibility("hidden")]]
#else
#define HS_HIDDEN
#endif
