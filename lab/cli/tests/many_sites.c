// Ten million calls of the allocator from a thousand places, each of which is busy all the time.
#include <stdlib.h>

enum { rounds = 5000, kept_blocks = 4096 };
static void* kept[kept_blocks];
static unsigned next;

static void keep(void* block) {
  free(kept[next % kept_blocks]);
  kept[next++ % kept_blocks] = block;
}

#define ONE(n) keep(malloc(16 + (n) % 977 * (i % 7)));
#define TEN(n)                                                                                     \
  ONE(n)                                                                                           \
  ONE(n + 1) ONE(n + 2) ONE(n + 3) ONE(n + 4) ONE(n + 5) ONE(n + 6) ONE(n + 7) ONE(n + 8) ONE(n + 9)
#define HUNDRED(n)                                                                                 \
  TEN(n)                                                                                           \
  TEN(n + 10)                                                                                      \
  TEN(n + 20) TEN(n + 30) TEN(n + 40) TEN(n + 50) TEN(n + 60) TEN(n + 70) TEN(n + 80) TEN(n + 90)

int main(void) {
  for (unsigned i = 0; i < rounds; ++i) {
    HUNDRED(0)
    HUNDRED(100)
    HUNDRED(200)
    HUNDRED(300) HUNDRED(400) HUNDRED(500) HUNDRED(600) HUNDRED(700) HUNDRED(800) HUNDRED(900)
  }
  for (unsigned i = 0; i < kept_blocks; ++i) free(kept[i]);
  return 0;
}
