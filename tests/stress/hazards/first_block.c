// How many OS pages of its own the library writes to: at its start, and for a program's first
// block.
//
// The kernel counts what a mapping has of its own as "Anonymous". Nothing here allocates.
#include "hazard.h"

enum { text_bytes = 1 << 16 };

static char text[text_bytes];

/* Reads the mappings of this process. */
static void read_mappings(void) {
  const int fd = open("/proc/self/smaps", O_RDONLY);
  REQUIRE(fd >= 0);
  size_t length = 0;
  for (ssize_t got; (got = read(fd, text + length, text_bytes - 1 - length)) > 0;)
    length += (size_t)got;
  close(fd);
  REQUIRE(length < text_bytes - 1);
  text[length] = '\0';
}

/* The OS pages that the mappings have of their own: all of them but the stack, or the library's. */
static long own_pages(int only_library) {
  long kib = 0;
  int counts = 0;
  read_mappings();
  for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    if (strstr(line, " kB") == NULL && strchr(line, '-') != NULL)  // the first line of a mapping
      counts = only_library ? strstr(line, "libheapsmith_preload") != NULL
                            : strstr(line, "[stack]") == NULL;
    if (counts && strncmp(line, "Anonymous:", 10) == 0) kib += atol(line + 10);
  }
  return kib / (sysconf(_SC_PAGESIZE) / 1024);
}

static void expect_at_most(long most, long pages, const char* what) {
  char line[100];
  const int n = snprintf(line, sizeof line, "%s: %ld OS pages, at most %ld\n", what, pages, most);
  REQUIRE(write(1, line, (size_t)n) == n);
  REQUIRE(pages <= most);
}

int main(void) {
  if (sysconf(_SC_PAGESIZE) != 4096) return exit_skipped;
  own_pages(0);  // touches what reading itself needs
  const long library = own_pages(1), before = own_pages(0);
  char* volatile block = malloc(100);
  REQUIRE(block != NULL);
  memset(block, 'x', 100);
  free(block);
  const long after = own_pages(0);
  /* The loader writes to the constants that it relocates, which it then protects, to the first page
     of the data, and to the page where these end, which has the variables that start at zero. */
  expect_at_most(3, library, "the library's own data");
  /* The word that notices forks, the thread's heap, the record of a slice, and the block. */
  expect_at_most(4, after - before, "the first block");
  return 0;
}
