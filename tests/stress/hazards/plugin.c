// A plugin that allocates when it is loaded, in its own thread-local storage, and frees when
// unloaded.
#include "hazard.h"

static void* blocks[40];
static __thread char thread_buffer[3000];

__attribute__((constructor)) static void load(void) {
  uint64_t state = 11;
  for (int i = 0; i < 40; ++i) blocks[i] = new_block(some_size(&state) % 20000 + 16);
}

__attribute__((destructor)) static void unload(void) {
  for (int i = 0; i < 40; ++i) end_block(blocks[i]);
}

void* plugin_block(size_t bytes) {
  thread_buffer[bytes % sizeof thread_buffer] = 1;  // makes the dynamic loader allocate the storage
  return new_block(bytes);
}
