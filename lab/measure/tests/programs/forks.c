// Touches memory, forks children that share it, and waits for them.
//
// usage: forks MIB CHILDREN MS
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  size_t size = (size_t)atoi(argv[1]) << 20;
  char* block = malloc(size);
  memset(block, 1, size);
  for (int child = atoi(argv[2]); child > 0; --child) {
    if (fork() == 0) {
      usleep((useconds_t)atoi(argv[3]) * 1000);
      _exit(0);
    }
  }
  while (wait(NULL) > 0) {
  }
  return block[size / 2] == 1 ? 0 : 1;
}
