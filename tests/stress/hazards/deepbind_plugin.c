// Loaded with RTLD_DEEPBIND, its malloc is libc's own whatever was preloaded.
#include <stdlib.h>

void* plugin_make(size_t bytes) {
  return malloc(bytes);
}
