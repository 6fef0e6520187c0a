/* A program whose only calls of malloc's family are those that GCC knows as built-in functions.
   Under -flto it does not tell the linker about them. */
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  char* copy = malloc((size_t)argc * 4000);
  int failed = copy == NULL || strlen(argv[0]) >= 4000;
  if (!failed) failed = strcmp(strcpy(copy, argv[0]), argv[0]) != 0;
  free(copy);
  return failed;
}
