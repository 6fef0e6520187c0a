// A program to measure, as the pages of docs/ name it: stores the lines of a file, and counts them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  FILE* input = fopen(argc > 1 ? argv[1] : "input", "r");
  if (!input) return 1;
  char line[256];
  char** lines = NULL;
  size_t count = 0;
  for (; fgets(line, sizeof line, input); ++count) {
    char** more = realloc(lines, (count + 1) * sizeof *lines);
    if (!more) return 2;
    lines = more;
    lines[count] = strdup(line);
    if (!lines[count]) return 2;
  }
  fclose(input);
  printf("%zu lines\n", count);
  for (size_t i = 0; i < count; ++i) free(lines[i]);
  free(lines);
}
