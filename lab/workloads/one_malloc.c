/* Workload small-process: the cost of an allocator in a process that allocates one block. */

#include <stdlib.h>
#include <string.h>

int main(void) {
  /* The volatile pointer keeps the compiler from removing the call of malloc. */
  char* volatile block = malloc(100);
  if (block == NULL) return 1;
  memset(block, 'x', 100);
  const int intact = block[0] == 'x' && block[99] == 'x';
  free(block);
  return intact ? 0 : 1;
}
