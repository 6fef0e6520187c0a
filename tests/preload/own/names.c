// Calls every function that libc builds on malloc, and all others that hand out or take blocks, in
// a program whose malloc may be its own. Prints what came out, and what the program's malloc saw.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "pool.h"

// Blocks that the program's own malloc has handed out and taken back, and blocks of others that its
// free has got. They stay 0 in programs that count none.
size_t pool_takes = 0, pool_returns = 0, pool_strangers = 0;

static int failures = 0;

static void tell(const char* name, int is_right) {
  if (!is_right) ++failures;
  printf("%s %s: %zu taken, %zu returned, %zu strangers\n", is_right ? "right" : "WRONG", name,
         pool_takes, pool_returns, pool_strangers);
}

static void tell_text(const char* name, char* text, const char* expected) {
  tell(name, text != NULL && strcmp(text, expected) == 0);
  free(text);
}

static void call_arrays(void) {
  char* names = NULL;
  for (size_t n = 0; n < 500; ++n) {
    names = reallocarray(names, n + 1, 32);
    snprintf(names + n * 32, 32, "name %zu", n);
  }
  tell("reallocarray grows", strcmp(names + 499 * 32, "name 499") == 0);
  names = reallocarray(names, 2, 32);
  tell_text("reallocarray shrinks", names, "name 0");
  char* block = malloc(10);
  strcpy(block, "kept");
  tell("reallocarray refuses", reallocarray(block, SIZE_MAX / 2, 3) == NULL);
  tell_text("reallocarray of a block of malloc", reallocarray(block, 1000, 10), "kept");
  block = calloc(10, 10);
  tell_text("realloc of a block of calloc", realloc(block, 500), "");
}

// jemalloc has no pvalloc: its free gets libc's blocks from there, and crashes without us, too.
#if defined(WITHOUT_PVALLOC)
#define pvalloc valloc
#endif

static void call_aligned(void) {
  char* const blocks[] = {valloc(100), pvalloc(100), memalign(64, 100), aligned_alloc(256, 512)};
  const size_t aligns[] = {4096, 4096, 64, 256};
  for (int i = 0; i < 4; ++i) {
    char* p = blocks[i];
    tell("an aligned block", (uintptr_t)p % aligns[i] == 0);
    memset(p, i + 1, 100);
    tell("its size", malloc_usable_size(p) >= 100);
    if (i % 2 == 0) p = realloc(p, 5000);
    tell("its contents", p[0] == i + 1 && p[99] == i + 1);
    free(p);
  }
  void* p = NULL;
  tell("posix_memalign", posix_memalign(&p, 4096, 10000) == 0 && (uintptr_t)p % 4096 == 0);
  free(p);
}

static void call_strings(void) {
  char *text = NULL, *line = NULL;
  size_t length = 0, room = 0;
  tell_text("strdup", strdup("text"), "text");
  tell_text("strndup", strndup("longer", 4), "long");
  wchar_t* const wide = wcsdup(L"wide");
  tell("wcsdup", wcscmp(wide, L"wide") == 0);
  free(wide);
  tell("asprintf", asprintf(&text, "%0300d", 7) == 300 && text[299] == '7');
  free(text);
  FILE* const stream = open_memstream(&text, &length);
  for (int i = 0; i < 3000; ++i) fputs("many words ", stream);
  fclose(stream);
  tell("open_memstream", length == 33000);
  FILE* const words = fmemopen(text, length, "r");
  tell("getdelim", getdelim(&line, &room, ' ', words) == 5);
  tell("getline", getline(&line, &room, words) > 30000);
  fclose(words);
  free(line);
  free(text);
  tell_text("realpath", realpath("/..", NULL), "/");
  text = getcwd(NULL, 0);
  tell("getcwd", text != NULL);
  free(text);
}

static int is_no_dot(const struct dirent* e) {
  return e->d_name[0] != '.';
}

static void call_others(void) {
  struct dirent** found = NULL;
  const int n = scandir("/proc/self/task", &found, is_no_dot, alphasort);
  tell("scandir", n == 1);
  for (int i = 0; i < n; ++i) free(found[i]);
  free(found);
  regex_t pattern;
  tell("regcomp", regcomp(&pattern, "(a|b)*c[d-f]+", REG_EXTENDED) == 0);
  tell("regexec", regexec(&pattern, "xxababcdef", 0, NULL, 0) == 0);
  regfree(&pattern);
  tell("setenv", setenv("OWN_NAME", "value", 1) == 0);
  void* const library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  tell("dlopen", library != NULL && dlsym(library, "cos") != NULL);
  dlclose(library);
}

// Functions that libc has no header for, or has in newer versions only, are found by name. libc's
// own cfree takes libc's blocks alone. The look-ups may take blocks: nothing is counted.
static void call_old_and_new(void) {
  void (*const release)(void*) = (void (*)(void*))dlsym(RTLD_DEFAULT, "cfree");
  void (*const release_sized)(void*, size_t) =
      (void (*)(void*, size_t))dlsym(RTLD_DEFAULT, "free_sized");
  void (*const release_aligned)(void*, size_t, size_t) =
      (void (*)(void*, size_t, size_t))dlsym(RTLD_DEFAULT, "free_aligned_sized");
  if (getenv("LD_PRELOAD") != NULL && release != NULL) release(malloc(40));
  if (release_sized != NULL) release_sized(malloc(40), 40);
  if (release_aligned != NULL) release_aligned(aligned_alloc(64, 64), 64, 64);
  puts("cfree, free_sized and free_aligned_sized");
}

static void ask(void) {
  tell("mallopt", mallopt(M_MMAP_THRESHOLD, 1 << 20) == 1);
  malloc_trim(0);
  mallinfo2();
  FILE* const nowhere = fopen("/dev/null", "w");
  tell("malloc_info", malloc_info(0, nowhere) == 0);
  fclose(nowhere);
  malloc_stats();
  tell("mallinfo2, malloc_trim and malloc_stats", 1);
}

int main(void) {
  static char buffer[1 << 16];
  setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
  call_arrays();
  call_aligned();
  call_strings();
  call_others();
  ask();
  call_old_and_new();
  return failures != 0;
}
