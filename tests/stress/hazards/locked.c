// All memory locked, now and in future: nothing can be given back, and calloc still clears.
#include <malloc.h>
#include <sys/mman.h>

#include "churn.h"

static void require_zero(const unsigned char* p, size_t bytes) {
  REQUIRE(p != NULL);
  for (size_t i = 0; i < bytes; ++i) REQUIRE(p[i] == 0);
}

int main(void) {
  free(new_block(100));
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    puts("skipped: mlockall is not permitted here");
    return exit_skipped;
  }
  static const size_t sizes[] = {40, 5000, 100000, 3 << 20, 40 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    for (int again = 0; again < 3; ++again) {
      void* p = malloc(sizes[i]);
      REQUIRE(p != NULL);
      memset(p, 0xff, sizes[i]);
      free(p);
      malloc_trim(0);
      unsigned char* q = calloc(1, sizes[i]);
      require_zero(q, sizes[i]);
      free(q);
    }
  }
  start_churning(2);
  uint64_t state = 9;
  for (int i = 0; i < 20000; ++i) churn_once(&state);
  stop_churning(2);
  return 0;
}
