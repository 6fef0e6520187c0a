// Records how much of the heap a program has in use over time, for giving_back_test.cpp:
//
//   gcc -shared -fPIC -O2 -I include tests/unit/spans/uses/sample.c -o /tmp/sample.so
//   LD_PRELOAD="build/release/libheapsmith_preload.so /tmp/sample.so" USE=/tmp/PROGRAM.use PROGRAM
//
// A line for each turn of the use, in milliseconds and slices of 64 KiB. Smaller turns than an
// eighth of the most so far, and than 16 slices, are left out.
#include <heapsmith/heapsmith.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static FILE* out;
static long began;

static long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static long slices_in_use(void) {
  hs_statistics s = {.size = sizeof s};
  return hs_stats(&s) != 0 ? 0 : (long)((s.slab_bytes + s.large_bytes) >> 16);
}

static void* sample(void* unused) {
  long last = 0, last_ms = 0, most = 0;  // the turn that may be next
  int rises = 1;
  for (;; usleep(1000)) {
    const long use = slices_in_use(), ms = now_ms() - began;
    if (use > most) most = use;
    const long least = most / 8 > 16 ? most / 8 : 16;
    if (rises ? use >= last : use <= last) {
      last = use;
      last_ms = ms;
    } else if (labs(use - last) >= least) {
      fprintf(out, "%ld %ld\n", last_ms, last);
      last = use;
      last_ms = ms;
      rises = !rises;
    }
  }
  return unused;
}

__attribute__((constructor)) static void begin(void) {
  const char* path = getenv("USE");
  if (path == NULL || (out = fopen(path, "w")) == NULL) return;
  setvbuf(out, NULL, _IONBF, 0);
  unsetenv("USE");
  began = now_ms();
  pthread_t thread;
  pthread_create(&thread, NULL, sample, NULL);
}

__attribute__((destructor)) static void end(void) {
  if (out != NULL) fprintf(out, "%ld %ld\n", now_ms() - began, slices_in_use());
}
