// The final size at once.
#include <stdlib.h>

static unsigned use(size_t final_count) {
  // [
  unsigned* list = malloc(final_count * sizeof *list);  // instead of growing it with realloc
  // ]
  if (list == NULL) return 0;
  for (size_t i = 0; i < final_count; ++i) list[i] = (unsigned)i;
  const unsigned last = list[final_count - 1];
  free(list);
  return last;
}

int main(void) {
  return use(1000) == 999 ? 0 : 1;
}
