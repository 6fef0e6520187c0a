// A buffer on the stack, and malloc for larger blocks.
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 64 };

static size_t use(size_t n) {
  // [
  char buffer[LIMIT];
  char* p = n <= sizeof buffer ? buffer : malloc(n);
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
  return use(10) == 9 && use(1000) == 999 ? 0 : 1;
}
