/* Linked with heapsmith::malloc, malloc is heapsmith's, also for calls inside libc. hs_free aborts
   if it gets a block of another allocator. */
#include <heapsmith/heapsmith.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char* ours = malloc(100);
  char* from_libc = strdup("libc calls malloc");
  if (ours == NULL || from_libc == NULL) return 1;
  ours = realloc(ours, 5000);
  if (ours == NULL || hs_malloc_usable_size(ours) < 5000) return 1;
  printf("%s: %s\n", hs_version(), from_libc);
  hs_free(ours);
  hs_free(from_libc);

  void* theirs = hs_malloc(100);
  free(theirs);
  return 0;
}
