// Huge pages, as the kernel gives them: hazard_huge_pages [asked|refused].
// Without a word: under the mode "always", a small program stays small.
#include <sys/mman.h>
#include <sys/prctl.h>

#include "hazard.h"

static long huge_kib(void) {
  static char text[4096];
  const int fd = open("/proc/self/smaps_rollup", O_RDONLY);
  REQUIRE(fd >= 0 && read(fd, text, sizeof text - 1) > 0);
  close(fd);
  const char* found = strstr(text, "AnonHugePages:");
  REQUIRE(found != NULL);
  return atol(found + strlen("AnonHugePages:"));
}

/* Whether the kernel gives nearly as many huge pages as `mebibytes` need to who asks. */
static int has_room(size_t mebibytes) {
  const size_t bytes = mebibytes << 20;
  char* p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(p != MAP_FAILED);
  const int asked = madvise(p, bytes, MADV_HUGEPAGE);
  memset(p, 1, bytes);
  const long got = huge_kib();
  munmap(p, bytes);
  return asked == 0 && got >= (long)(mebibytes - 4) * 1024;
}

static void fill(size_t mebibytes) {
  for (size_t n = 0; n < mebibytes * 1024; ++n) memset(new_block(1024), 1, 1024);
}

int main(int argc, char** argv) {
  if (argc == 2) {
    const int refused = strcmp(argv[1], "refused") == 0;
    if (!has_room(96)) return exit_skipped;
    if (refused) REQUIRE(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0);
    fill(16);
    const long first = huge_kib();
    fill(80);
    const long all = huge_kib();
    printf("%ld KiB of the first 16 MiB and %ld KiB of 96 MiB are huge\n", first, all);
    return first == 0 && (refused ? all == 0 : all >= 32 * 1024) ? 0 : 1;
  }
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
