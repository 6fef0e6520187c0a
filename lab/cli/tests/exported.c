// Two functions that allocate through a third, for tests. With MORE, one of them runs twice.
#include <stdlib.h>

enum { often_calls = 3000, seldom_calls = 1000, bytes = 4000 };
static void* kept[seldom_calls];

__attribute__((noinline)) static void* leaf(void) {
  return malloc(bytes);
}
__attribute__((noinline)) static void often(void) {
  for (int i = 0; i < often_calls; ++i) free(leaf());
}
__attribute__((noinline)) static void seldom(void) {
  for (int i = 0; i < seldom_calls; ++i) kept[i] = leaf();
}

int main(void) {
  often();
  seldom();
#ifdef MORE
  seldom();
#endif
  return kept[0] == NULL;
}
