// glibc's questions and knobs tell the truth under preload.
#include <errno.h>
#include <malloc.h>

#include "hazard.h"

enum { blocks = 2000 };
static void* kept[blocks];

static void usable_sizes(void) {
  REQUIRE(malloc_usable_size(NULL) == 0);
  for (size_t n = 0; n < 70000; n += n / 8 + 1) {
    unsigned char* p = malloc(n);
    const size_t usable = malloc_usable_size(p);
    REQUIRE(usable >= n && usable <= n + n / 8 + 65536);
    REQUIRE(n < 16 || n > 32768 || usable <= n + n / 8 + 16);
    memset(p, 0xee, usable);
    free(p);
  }
}

static void counts(void) {
  const struct mallinfo2 before = mallinfo2();
  for (int i = 0; i < blocks; ++i) kept[i] = new_block(1000);
  void* direct = new_block((size_t)33 << 20);
  const struct mallinfo2 during = mallinfo2();
  REQUIRE(during.uordblks - before.uordblks >= blocks * 1000u);
  REQUIRE(during.uordblks - before.uordblks <= blocks * 1200u);
  REQUIRE(during.hblks == before.hblks + 1);
  REQUIRE(during.hblkhd - before.hblkhd >= (size_t)33 << 20);
  REQUIRE(during.arena >= during.uordblks && during.arena == during.uordblks + during.fordblks);
  end_block(direct);
  for (int i = 0; i < blocks; ++i) end_block(kept[i]);
  const struct mallinfo2 after = mallinfo2();
  REQUIRE(after.uordblks == before.uordblks);
  REQUIRE(after.hblks == before.hblks);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  REQUIRE((size_t)mallinfo().uordblks == after.uordblks);
#pragma GCC diagnostic pop
}

static void trimming(void) {
  for (int i = 0; i < 100; ++i) kept[i] = new_block(200000);
  for (int i = 0; i < 100; ++i) memset((char*)kept[i] + 8, 1, 199000);
  for (int i = 0; i < 100; ++i) free(kept[i]);
  for (int i = 0; i < blocks; ++i) kept[i] = new_block(2000);
  const long full = resident_kib();
  for (int i = 0; i < blocks; ++i) end_block(kept[i]);
  REQUIRE(malloc_trim(0) == 1);
  REQUIRE(malloc_trim(0) == 0);  // nothing is left to give
  REQUIRE(full - resident_kib() > 3000);
}

static void reports(void) {
  char text[8192] = "";
  FILE* f = fmemopen(text, sizeof text, "w");
  REQUIRE(malloc_info(0, f) == 0);
  fclose(f);
  REQUIRE(strncmp(text, "<malloc version=", 16) == 0 && strstr(text, "</malloc>") != NULL);
  REQUIRE(malloc_info(1, stderr) == EINVAL);
  malloc_stats();  // on stderr
  REQUIRE(mallopt(M_TRIM_THRESHOLD, 1 << 20) == 1);
}

int main(void) {
  free(new_block(100));
  usable_sizes();
  counts();
  trimming();
  reports();
  return 0;
}
