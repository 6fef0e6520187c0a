// Prints whether the process is privileged and whether HEAPSMITH_LIMIT_BYTES holds 8 MiB back.
#include <sys/auxv.h>

#include "hazard.h"

int main(void) {
  void* p = malloc(8 << 20);
  printf("%s %s\n", getauxval(AT_SECURE) != 0 ? "privileged" : "ordinary",
         p == NULL ? "limited" : "free");
  free(p);
  return 0;
}
