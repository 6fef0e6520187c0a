// Takes the address of malloc, and calls it: taken SIZE.
#include <stdlib.h>
#include <string.h>

#if defined(COUNTS)
size_t pool_takes = 0, pool_returns = 0, pool_strangers = 0;
#endif

int main(int count, char** arguments) {
  void* (*volatile allocate)(size_t) = malloc;
  if (count != 2) return 2;
  const size_t size = strtoul(arguments[1], NULL, 10);
  char* const block = allocate(size);
  // The pool in malloc's place has 64 MiB.
  if (block != NULL) memset(block, 1, size);
  free(block);
  return 0;
}
