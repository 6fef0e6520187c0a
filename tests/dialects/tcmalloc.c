/* A program written against gperftools' own headers, linked with libheapsmith_dialects.so. */
#include <gperftools/malloc_extension_c.h>
#include <gperftools/tcmalloc.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAPSMITH_DIALECTS_OMIT_OWNERSHIP /* its result is an enumeration of gperftools' */
#include "adapt/dialects/tcmalloc/functions.h"

int main(void) {
  void* p = tc_malloc(100);
  size_t bytes = 0;
  int ok = MallocExtension_GetOwnership(p) == MallocExtension_kOwned &&
           MallocExtension_GetNumericProperty("generic.current_allocated_bytes", &bytes) &&
           bytes >= 100 && tc_malloc_size(p) == MallocExtension_GetAllocatedSize(p);
  free(p); /* malloc's family is of the same heap */
  puts(ok ? "ok" : "FAILED");
  return ok ? 0 : 1;
}
