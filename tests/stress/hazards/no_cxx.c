// A C program under preload has the library and libc loaded, and no C++ runtime.
#include "hazard.h"

int main(void) {
  int preloaded = 0;
  char line[4096];
  FILE* f = fopen("/proc/self/maps", "r");
  REQUIRE(f != NULL);
  while (fgets(line, sizeof line, f) != NULL) {
    REQUIRE(strstr(line, "libstdc++") == NULL);
    REQUIRE(strstr(line, "libgcc_s") == NULL);
    REQUIRE(strstr(line, "libm.so") == NULL);
    preloaded |= strstr(line, "libheapsmith_") != NULL;
  }
  fclose(f);
  REQUIRE(preloaded);
  end_block(new_block(100));
  return 0;
}
