// Prints, as JSON, what the heap does in one program: where its blocks lie, and how much it holds.
// tools/draw_runs runs it under heapsmith and draws the pictures of docs/how-it-works.md.
#include <heapsmith/heapsmith.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { slice = 64 * 1024, sizes = 6, each = 400, steps = 60, live = 40000 };

static void* blocks[live];
static size_t bytes_of[live];
static uint64_t seed = 42;

static size_t draw(size_t below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(seed >> 33) % below;
}

/// Blocks of six sizes in turn: the slice of each, counted from the lowest.
static void print_places(void) {
  static const size_t size[sizes] = {16, 48, 160, 512, 1536, 6144};
  static uintptr_t places[each * sizes];
  uintptr_t lowest = UINTPTR_MAX;
  for (int i = 0; i < each * sizes; ++i) {
    places[i] = (uintptr_t)hs_malloc(size[i % sizes]) / slice;
    if (places[i] < lowest) lowest = places[i];
  }
  printf("{\"places\":[");
  for (int i = 0; i < each * sizes; ++i)
    printf("%s[%zu,%zu]", i ? "," : "", size[i % sizes], (size_t)(places[i] - lowest));
  printf("],\"steps\":[");
}

static void print_step(int step, const char* phase) {
  hs_statistics now = {.size = sizeof now};
  if (hs_stats(&now) != 0) return;
  printf("%s[\"%s\",%zu,%zu,%zu]", step ? "," : "", phase, now.in_use_bytes,
         now.slab_bytes + now.large_bytes, now.cached_bytes);
}

/// Adds blocks, replaces some, frees nearly all, and purges.
int main(void) {
  print_places();
  const int per_step = live / 20;
  int filled = 0;
  for (int step = 0; step < steps; ++step) {
    const char* phase = step < 20 ? "fill" : step < 35 ? "replace" : step < 55 ? "free" : "purge";
    for (int i = 0; i < per_step; ++i) {
      int at = step < 20 ? filled++ : step < 35 ? (int)draw(live) : --filled;
      if (step >= 55) break;
      hs_free(blocks[at]);
      blocks[at] = NULL;
      if (step >= 35) continue;
      bytes_of[at] = 16 + draw(2000);
      blocks[at] = hs_malloc(bytes_of[at]);
      if (!blocks[at]) return 1;
      memset(blocks[at], 1, bytes_of[at]);
    }
    if (step == 55) hs_purge();
    print_step(step, phase);
  }
  printf("]}\n");
}
