// malloc and free as the linker's option --wrap makes them: the program's own calls come here, and
// those of libraries do not.
#include "pool.h"

void* __real_malloc(size_t size);
void __real_free(void* p);

void* __wrap_malloc(size_t size) {
  ++pool_takes;
  return __real_malloc(size);
}

void __wrap_free(void* p) {
  if (p != NULL) ++pool_returns;
  __real_free(p);
}
