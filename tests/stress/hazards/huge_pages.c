// Under transparent huge pages "always", a small program stays small.
#include "hazard.h"

int main(void) {
  char mode[100] = "";
  FILE* f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
  if (f == NULL || fgets(mode, sizeof mode, f) == NULL || strstr(mode, "[always]") == NULL) {
    puts("skipped: the kernel's mode is not \"always\", and no program can set it for itself");
    return exit_skipped;
  }
  fclose(f);
  const long before = resident_kib();
  for (size_t bytes = 16; bytes < 20000; bytes += bytes / 2) REQUIRE(new_block(bytes) != NULL);
  const long grown = resident_kib() - before;
  printf("grew by %ld KiB\n", grown);
  return grown < 1024 ? 0 : 1;
}
