// A plugin that is loaded with RTLD_DEEPBIND hands its blocks to this program, whose free is
// heapsmith's: deepbind PLUGIN keep, where the plugin is bound to libc's malloc, or deepbind PLUGIN
// ignore, where the flag is ignored, and it frees blocks of the program's, too.
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>

#include "hazard.h"

static void* symbol(void* plugin, const char* name) {
  void* found = dlsym(plugin, name);
  REQUIRE(found != NULL);
  return found;
}

static void exchange(void* (*make)(size_t), void (*end)(void*)) {
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
    if (end != NULL) end(new_block(sizes[i] + 16));
  }
}

int main(int argc, char** argv) {
  REQUIRE(argc == 3);
  const int keeps = strcmp(argv[2], "keep") == 0;
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  REQUIRE(plugin != NULL);
  void* (*make)(size_t);
  void (*end)(void*);
  *(void**)&make = symbol(plugin, "plugin_make");
  *(void**)&end = symbol(plugin, "plugin_end");
  exchange(make, keeps ? NULL : end);
  // The plugin's blocks lie outside of heapsmith's memory if they are libc's.
  char* theirs = make(100);
  char* ours = strdup("a block of heapsmith's");
  const size_t apart = (size_t)(theirs > ours ? theirs - ours : ours - theirs);
  REQUIRE((apart > ((size_t)1 << 30)) == keeps);
  free(theirs);
  free(ours);
  return 0;
}
