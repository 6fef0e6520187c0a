// A program with settings of its own. It prints whether a limit holds 8 MiB back.
#include "hazard.h"
#include "heapsmith/heapsmith.h"

#ifndef HAZARD_SETTINGS
#define HAZARD_SETTINGS "limit_bytes=4M,reserve=32G"
#endif
const char hs_settings[] = HAZARD_SETTINGS;

int main(void) {
  void* p = malloc(8 << 20);
  puts(p == NULL ? "limited" : "free");
  free(p);
  return 0;
}
