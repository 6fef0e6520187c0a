// Loads and unloads a plugin two thousand times: plugin_cycle PLUGIN. RSS stays.
#include <dlfcn.h>

#include "hazard.h"

enum { cycles = 2000 };

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  long after_warm_up = 0;
  void* from_before = NULL;
  for (int n = 0; n < cycles; ++n) {
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    REQUIRE(plugin != NULL);
    void* (*make)(size_t);
    void* symbol = dlsym(plugin, "plugin_block");
    REQUIRE(symbol != NULL);
    memcpy(&make, &symbol, sizeof make);
    end_block(from_before);  // outlived the plugin that allocated it
    from_before = make(100 + (size_t)n);
    REQUIRE(dlclose(plugin) == 0);
    REQUIRE(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == NULL);  // it really went
    if (n == cycles / 10) after_warm_up = resident_kib();
  }
  end_block(from_before);
  const long grown = resident_kib() - after_warm_up;
  printf("grew by %ld KiB from %ld\n", grown, after_warm_up);
  return grown < 512 ? 0 : 1;
}
