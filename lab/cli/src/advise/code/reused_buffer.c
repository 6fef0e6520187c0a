// A buffer of each thread that is used again, and malloc for larger blocks.
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 8192 };

static size_t use(size_t n) {
  // [
  static _Thread_local char* buffer;  // kept
  if (buffer == NULL) buffer = malloc(LIMIT);
  char* p = n <= LIMIT && buffer != NULL ? buffer : malloc(n);
  // ...
  // ]
  if (p == NULL) return 0;
  memset(p, 'x', n);
  p[n - 1] = 0;
  const size_t length = strlen(p);
  // [
  if (p != buffer) free(p);
  // ]
  return length;
}

int main(void) {
  return use(5000) == 4999 && use(5001) == 5000 && use(10000) == 9999 ? 0 : 1;
}
