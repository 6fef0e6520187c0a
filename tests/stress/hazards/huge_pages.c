// Huge pages, as the kernel gives them: hazard_huge_pages [asked|forbidden].
// Without a word: under the mode "always", a small program stays small.
#include <malloc.h>
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

enum { kibibytes = 96 * 1024 };
static void* blocks[kibibytes];

static void fill(size_t from, size_t to) {
  for (size_t i = from; i < to; ++i) memset(blocks[i] = new_block(1024), 1, 1024);
}

/* Frees all but a block in 4 MiB. Returns the KiB of the heap that stay with the process. */
static long free_most(long before) {
  for (size_t i = 0; i < kibibytes; ++i)
    if (i % 4096 != 0) free(blocks[i]);
  REQUIRE(malloc_trim(0) == 1);
  return resident_kib() - before;
}

int main(int argc, char** argv) {
  if (argc == 2) {
    const int forbidden = strcmp(argv[1], "forbidden") == 0;
    if (!has_room(96)) return exit_skipped;
    if (forbidden) REQUIRE(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0);
    const long before = resident_kib();
    fill(0, 15 * 1024);
    const long first = huge_kib();
    fill(15 * 1024, kibibytes);
    const long all = huge_kib();
    const long left = free_most(before);
    printf("%ld KiB of the first 15 MiB and %ld KiB of 96 MiB are huge; %ld KiB stay\n", first, all,
           left);
    return first == 0 && (forbidden ? all == 0 : all >= 64 * 1024) && left < 8 * 1024 ? 0 : 1;
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
