// A heap of their own: blocks come and go, and those that are left end all at once.
// [
#include <heapsmith/heap.h>
// ]
#include <string.h>

int main(void) {
  // [
  hs_heap* memory = hs_heap_create();  // once
  // ]
  if (!memory) return 1;
  for (int round = 0; round < 3; ++round) {
    char* lines[100] = {0};
    for (int i = 0; i < 300; ++i) {
      // [
      hs_heap_free(memory, lines[i % 100]);         // as before: each block may end early
      char* line = hs_heap_malloc(memory, 20 + i);  // instead of malloc
      // ...
      // ]
      if (!line) return 1;
      memset(line, i, 20 + i);
      lines[i % 100] = line;
    }
    // [
    hs_heap_reset(memory);  // where all blocks end
    // ]
  }
  hs_heap_destroy(memory);
  return 0;
}
