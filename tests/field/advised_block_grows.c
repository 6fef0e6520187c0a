// A large block of which parts were advised, locked or made executable grows, contents and all.
// report: numpy/numpy#11957, numpy/numpy#27808
// right: every realloc succeeds and the contents stay, as under glibc
// fails: nobody else; jemalloc 5.3.0, mimalloc 2.0.9 and gperftools 2.10 pass
// under: preload override recorder
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MiB = 1 << 20 };

static const struct {
  const char* name;
  int advice;  // -1: locked; -2: made executable, as a compiler's output
} ways[] = {{"huge pages", MADV_HUGEPAGE},
            {"no fork", MADV_DONTFORK},
            {"no dump", MADV_DONTDUMP},
            {"wiped", MADV_WIPEONFORK},
            {"random", MADV_RANDOM},
            {"locked", -1},
            {"executable", -2}};

static int change(char* at, int advice, size_t page) {
  if (advice == -1) return mlock(at, 4 * page);
  if (advice == -2) return mprotect(at, 4 * page, PROT_READ | PROT_WRITE | PROT_EXEC);
  return madvise(at, 4 * page, advice);
}

enum { apart = 90000 };  // most OS pages are not touched, to save time

/* One part in the middle, or one at each end. */
static int grow(const char* name, int advice, int parts, size_t had, size_t wanted) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char* p = malloc(had);
  if (p == NULL) return printf("no block of %zu\n", had), 1;
  for (size_t i = 0; i < had; i += apart) p[i] = (unsigned char)(i / apart | 1);
  char* const first = (char*)(((size_t)p + page - 1) / page * page);
  const size_t middle = had / 2 / page * page;
  if (parts == 1 && change(first + middle, advice, page) != 0) return free(p), 0;
  if (parts == 2 && (change(first + page, advice, page) != 0 ||
                     change(first + had / page * page - 8 * page, advice, page) != 0))
    return free(p), 0;
  unsigned char* const q = realloc(p, wanted);
  if (q == NULL) return printf("%s: no %zu after %zu\n", name, wanted, had), 1;
  const size_t kept = had < wanted ? had : wanted;
  for (size_t i = 0; i < kept; i += apart)
    if (q[i] != (unsigned char)(i / apart | 1)) return printf("%s: contents\n", name), 1;
  if (malloc_usable_size(q) < wanted) return printf("%s: too short\n", name), 1;
  q[wanted - 1] = 1;
  free(q);
  return 0;
}

int main(void) {
  int wrong = 0;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i)
    for (int parts = 1; parts <= 2; ++parts) {
      wrong += grow(ways[i].name, ways[i].advice, parts, 33 * MiB, 40 * MiB);
      wrong += grow(ways[i].name, ways[i].advice, parts, 34 * MiB + 5000, 45 * MiB + 1);
      wrong += grow(ways[i].name, ways[i].advice, parts, 40 * MiB, 9 * MiB);
      wrong += grow(ways[i].name, ways[i].advice, parts, 6 * MiB, 35 * MiB);
    }
  if (wrong != 0) return 1;
  puts("ok");
  return 0;
}
