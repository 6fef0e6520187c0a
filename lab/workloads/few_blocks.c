/* Workload small-process: the memory that an allocator touches for a few blocks of many sizes.
 *
 * few-blocks           100 blocks of 16 to 2,600 bytes
 * few-blocks thread    and a thread that holds a block of each of twelve sizes */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { blocks = 100, sizes = 12 };

struct held {
  char* block;
  size_t bytes;
};

static int fill(struct held* h, size_t bytes, char seal) {
  h->block = malloc(bytes);
  h->bytes = bytes;
  if (h->block == NULL) return 0;
  memset(h->block, seal, bytes);
  return 1;
}

/* Whether the block is as it was filled; it is freed. */
static int ends_intact(struct held* h, char seal) {
  int intact = 1;
  for (size_t i = 0; i < h->bytes; ++i) intact &= h->block[i] == seal;
  free(h->block);
  return intact;
}

static void* hold_each_size(void* intact) {
  struct held all[sizes];
  size_t bytes = 24;
  for (int i = 0; i < sizes; ++i, bytes += bytes / 2)
    if (!fill(&all[i], bytes, (char)i)) return NULL;
  for (int i = 0; i < sizes; ++i)
    if (!ends_intact(&all[i], (char)i)) return NULL;
  return intact;
}

int main(int argc, char** argv) {
  struct held all[blocks];
  for (int i = 0; i < blocks; ++i)
    if (!fill(&all[i], (size_t)(16 + i * 37 % 400 + (i % 10 == 0 ? i * 25 : 0)), (char)i)) return 1;
  if (argc > 1 && strcmp(argv[1], "thread") == 0) {
    pthread_t thread;
    void* intact = NULL;
    if (pthread_create(&thread, NULL, hold_each_size, all) != 0) return 1;
    if (pthread_join(thread, &intact) != 0 || intact != all) return 1;
  }
  for (int i = 0; i < blocks; ++i)
    if (!ends_intact(&all[i], (char)i)) return 1;
  return 0;
}
