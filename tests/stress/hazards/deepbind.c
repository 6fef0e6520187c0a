// A plugin bound to libc's malloc hands its blocks to this program, whose free is heapsmith's.
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>

#include "hazard.h"

static void* symbol(void* plugin, const char* name) {
  void* found = dlsym(plugin, name);
  REQUIRE(found != NULL);
  return found;
}

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  REQUIRE(plugin != NULL);
  void* (*make)(size_t);
  *(void**)&make = symbol(plugin, "plugin_make");
  static const size_t sizes[] = {1, 24, 1000, 20000, 100000, 1 << 20, 40 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    char* p = make(sizes[i]);
    REQUIRE(p != NULL);
    REQUIRE(malloc_usable_size(p) >= sizes[i]);
    memset(p, 0x3c, sizes[i]);
    errno = 77;
    p = realloc(p, sizes[i] * 2);
    REQUIRE(p != NULL && p[0] == 0x3c && p[sizes[i] - 1] == 0x3c);
    free(p);
    void* q = make(sizes[i]);
    errno = 77;
    free(q);
    REQUIRE(errno == 77);
  }
  // The plugin's blocks lie outside of heapsmith's memory: they are libc's indeed.
  char* theirs = make(100);
  char* ours = strdup("a block of heapsmith's");
  const size_t apart = (size_t)(theirs > ours ? theirs - ours : ours - theirs);
  REQUIRE(apart > ((size_t)1 << 30));
  free(theirs);
  free(ours);
  return 0;
}
