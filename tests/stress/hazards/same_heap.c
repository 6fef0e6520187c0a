// A process has one heap, also if it opens libheapsmith.so with dlopen() when malloc is
// heapsmith's. Arguments: libheapsmith.so, how it is opened (local, global or deep), and "apart" if
// malloc is libc's: then the library must work with a heap of its own.
#include <dlfcn.h>
#include <malloc.h>
#include <string.h>

#include "hazard.h"

static void* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  REQUIRE(found != NULL);
  return found;
}

int main(int argc, char** argv) {
  REQUIRE(argc == 3 || argc == 4);
  const int flags = strcmp(argv[2], "deep") == 0     ? RTLD_LOCAL | RTLD_DEEPBIND
                    : strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL
                                                     : RTLD_LOCAL;
  void* library = dlopen(argv[1], RTLD_NOW | flags);
  REQUIRE(library != NULL);
  REQUIRE(dlerror() == NULL);
  void* (*make)(size_t);
  void* (*resize)(void*, size_t);
  void (*end)(void*);
  size_t (*usable)(const void*);
  void* (*make_heap)(void);
  void* (*make_in)(void*, size_t);
  void (*end_heap)(void*);
  *(void**)&make = symbol(library, "hs_malloc");
  *(void**)&resize = symbol(library, "hs_realloc");
  *(void**)&end = symbol(library, "hs_free");
  *(void**)&usable = symbol(library, "hs_malloc_usable_size");
  *(void**)&make_heap = symbol(library, "hs_heap_create");
  *(void**)&make_in = symbol(library, "hs_heap_malloc");
  *(void**)&end_heap = symbol(library, "hs_heap_destroy");
  REQUIRE(symbol(library, "hs_region_malloc") != NULL);

  static const size_t sizes[] = {1, 100, 20000, 100000, 40 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    end(make(sizes[i]));
    if (argc == 4) continue;
    free(make(sizes[i]));
    free(resize(malloc(sizes[i]), sizes[i] * 2));  // the hs_ functions abort if it is not ours
    end(malloc(sizes[i]));
  }
  void* heap = make_heap();
  REQUIRE(heap != NULL && usable(make_in(heap, 100)) >= 100);
  if (argc == 3) free(make_in(heap, 100));
  end_heap(heap);
  return 0;
}
