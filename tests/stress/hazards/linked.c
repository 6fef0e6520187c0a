// A program that is linked to libheapsmith.so and uses it: one large block is left at its end.
#include "heapsmith/heapsmith.h"

int main(void) {
  return hs_malloc((size_t)1 << 20) == NULL;
}
