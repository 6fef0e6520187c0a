// Threads that allocate, for a sanitizer to watch. Each block stays with its thread.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* work(void* unused) {
  for (size_t i = 0; i < 500; ++i) {
    char* p = malloc(100 + i * 37 % 20000);
    memset(p, 1, 100);
    p = realloc(p, 200 + i * 11);
    free(p);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  char* big = malloc(64 << 20);
  memset(big, 1, 64 << 20);
  free(big);
  puts("done");
  return 0;
}
