// A C program that loads a C++ plug-in, and with it the runtime: late_runtime PLUGIN local|global.
#include <dlfcn.h>

#include "hazard.h"

int main(int argc, char** argv) {
  REQUIRE(argc == 3);
  const int scope = strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL;
  void* const plugin = dlopen(argv[1], RTLD_NOW | scope);
  REQUIRE(plugin != NULL);
  const char* (*failed_step)(void);
  *(void**)&failed_step = dlsym(plugin, "failed_step");
  REQUIRE(failed_step != NULL);
  const char* const failed = failed_step();
  if (failed == NULL) return 0;
  fprintf(stderr, "%s\n", failed);
  return 1;
}
