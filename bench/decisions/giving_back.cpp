// docs/design/giving-back.md: page faults and memory held, by the cap on cached bytes.
//
// usage: giving_back   with HEAPSMITH_CACHE_BYTES in the environment, or without it for the
// default, without a cap
//
// Five programs in one, each in its own process: buffers that are allocated and freed, a working
// set that shrinks for good, a load that swings, and two that have peaks and then little to do.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "heapsmith/heapsmith.h"

namespace {

constexpr std::size_t MiB = 1 << 20;

void* touched(std::size_t bytes) {
  void* p = hs_malloc(bytes);
  if (p == nullptr) abort();
  memset(p, 1, bytes);
  return p;
}

/// A buffer of 16 MiB, 200 times.
void buffers() {
  for (int i = 0; i < 200; ++i) hs_free(touched(16 * MiB));
}

/// 64 MiB in blocks of 256 KiB, of which all but four are freed; then small work goes on.
void shrinks() {
  std::vector<void*> blocks;
  for (int i = 0; i < 256; ++i) blocks.push_back(touched(MiB / 4));
  for (; blocks.size() > 4; blocks.pop_back()) hs_free(blocks.back());
  for (int i = 0; i < 1000; ++i) hs_free(touched(MiB / 4));
}

/// Between 8 and 40 MiB, 50 times, in blocks of 64 KiB.
void swings() {
  std::vector<void*> blocks;
  for (int i = 0; i < 50; ++i) {
    while (blocks.size() < 640) blocks.push_back(touched(MiB / 16));
    for (; blocks.size() > 128; blocks.pop_back()) hs_free(blocks.back());
  }
}

/// Up to 256 MiB and down, in blocks of 64 KiB.
void peak() {
  std::vector<void*> blocks;
  while (blocks.size() < 4096) blocks.push_back(touched(MiB / 16));
  for (; !blocks.empty(); blocks.pop_back()) hs_free(blocks.back());
}

/// Three peaks, and nothing after them.
void peaks() {
  for (int i = 0; i < 3; ++i) peak();
}

/// Ten peaks, then three seconds of small work.
void quietens() {
  for (int i = 0; i < 10; ++i) peak();
  for (int i = 0; i < 1500; ++i) {
    hs_free(touched(MiB / 4));
    usleep(2000);
  }
}

void print_row(const char* name, void (*run)()) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    run();
    getrusage(RUSAGE_SELF, &after);
    hs_statistics s = {};
    s.size = sizeof s;
    if (hs_stats(&s) != 0) abort();
    printf("%-10s %12ld %10zu %12zu %12zu\n", name, after.ru_minflt - before.ru_minflt, s.purges,
           s.purged_bytes / MiB, s.cached_bytes / MiB);
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) abort();
}

}  // namespace

int main() {
  printf("%-10s %12s %10s %12s %12s\n", "", "page faults", "purges", "purged, MiB", "held, MiB");
  print_row("buffers", buffers);
  print_row("shrinks", shrinks);
  print_row("swings", swings);
  print_row("peaks", peaks);
  print_row("quietens", quietens);
}
