// A heap of their own: blocks come and go, and those that are left end all at once.
// [
#include <heapsmith/heap.hpp>
// ]
#include <cstring>

int main() {
  // [
  heapsmith::heap memory;  // once
  // ]
  for (int round = 0; round < 3; ++round) {
    void* lines[100] = {};
    for (int i = 0; i < 300; ++i) {
      // [
      memory.deallocate(lines[i % 100]);     // as before: each block may end early
      void* line = memory.allocate(20 + i);  // instead of malloc
      // ...
      // ]
      std::memset(line, i, 20 + i);
      lines[i % 100] = line;
    }
    // [
    memory.reset();  // where all blocks end
    // ]
  }
}
