// A program with a pool in malloc's place calls functions that libc builds on malloc.
// report: sharkdp/fd#2121, microsoft/mimalloc#244
// right: its pool gets each block of its own back, and no other
// fails: not measured
// link: -rdynamic
// under: preload recorder
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(16) char room[4 << 20];
static size_t used = 0, strangers = 0;

static int is_mine(const void* p) {
  return (uintptr_t)p - (uintptr_t)room < sizeof room;
}

void* malloc(size_t size) {
  char* const begin = room + used + 16;
  used += 16 + ((size + 15) & ~(size_t)15);
  if (used > sizeof room) return NULL;
  memcpy(begin - 16, &size, sizeof size);
  return begin;
}

void free(void* p) {
  if (p != NULL && !is_mine(p)) ++strangers;
}

void* calloc(size_t count, size_t size) {
  return malloc(count * size);  // the room is zero, and used once
}

void* realloc(void* p, size_t size) {
  void* const q = malloc(size);
  size_t before = 0;
  if (p != NULL && !is_mine(p)) ++strangers;
  if (p != NULL && is_mine(p)) memcpy(&before, (char*)p - 16, sizeof before);
  if (before != 0) memcpy(q, p, before < size ? before : size);
  return q;
}

int main(void) {
  char* names = NULL;
  for (size_t n = 0; n < 200; ++n) {
    names = reallocarray(names, n + 1, 32);
    if (names == NULL || !is_mine(names)) return puts("reallocarray left the pool"), 1;
    snprintf(names + n * 32, 32, "name %zu", n);
  }
  char *line = NULL, *text = NULL;
  if (asprintf(&text, "%s", names + 199 * 32) < 0 || !is_mine(text)) return puts("asprintf"), 1;
  size_t length = 0;
  FILE* const stream = fmemopen(text, strlen(text), "r");
  if (getline(&line, &length, stream) != 8 || !is_mine(line)) return puts("getline"), 1;
  fclose(stream);
  char* const copy = strdup(line);
  if (!is_mine(copy) || strcmp(copy, "name 199") != 0) return puts("strdup"), 1;
  free(copy);
  free(line);
  free(text);
  free(names);
  if (strangers != 0) return printf("%zu blocks of others\n", strangers), 1;
  puts("ok");
  return 0;
}
