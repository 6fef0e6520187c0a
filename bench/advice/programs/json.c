// json FILE COUNT: parses a document, prints it without spaces and deletes it, COUNT times.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cJSON.h"

static char* whole(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) return NULL;
  const long bytes = ftell(file);
  rewind(file);
  char* text = bytes < 0 ? NULL : malloc((size_t)bytes + 1);
  if (text == NULL || fread(text, 1, (size_t)bytes, file) != (size_t)bytes) return NULL;
  text[bytes] = 0;
  fclose(file);
  return text;
}

int main(int argc, char** argv) {
  char* text = argc == 3 ? whole(argv[1]) : NULL;
  if (text == NULL) return 2;
  size_t total = 0;
  for (int count = atoi(argv[2]); count > 0; --count) {
    cJSON* document = cJSON_Parse(text);
    char* printed = cJSON_PrintUnformatted(document);
    if (printed == NULL) return 1;
    total += strlen(printed);
    free(printed);
    cJSON_Delete(document);
  }
  printf("%zu\n", total);
  free(text);
  return 0;
}
