// The least a program can ask of malloc.
#include <stdlib.h>

int main(void) {
  volatile char* p = malloc(100);
  if (p == NULL) return 1;
  *p = 1;
  free((void*)p);
  return 0;
}
