// Loaded with RTLD_DEEPBIND, its malloc and free would be libc's own whatever was preloaded.
#include <stdlib.h>

void* plugin_make(size_t bytes) {
  return malloc(bytes);
}

void plugin_end(void* block) {
  free(block);
}
