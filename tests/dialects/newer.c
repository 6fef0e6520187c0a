/* A program that is linked with such a library: each function is the library's. With an argument,
 * the library is a plug-in. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mi_heap_s mi_heap_t;

static void* scope = RTLD_DEFAULT;

static void* find(const char* name) {
  void* const found = dlsym(scope, name);
  if (found != NULL) return found;
  fprintf(stderr, "%s: not found\n", name);
  exit(2);
}

int main(int count, char** arguments) {
  if (count == 2 && (scope = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL)) == NULL) return 3;
  char* (*const make)(size_t) = (char* (*)(size_t))find("mi_malloc");
  int (*const is_theirs)(const void*) = (int (*)(const void*))find("mi_is_in_heap_region");
  void (*const release)(void*) = (void (*)(void*))find("mi_free");
  mi_heap_t* (*const make_heap)(void) = (mi_heap_t * (*)(void)) find("mi_heap_new");
  void* (*const make_in)(mi_heap_t*, size_t) =
      (void* (*)(mi_heap_t*, size_t))find("mi_heap_malloc");
  void (*const end_heap)(mi_heap_t*) = (void (*)(mi_heap_t*))find("mi_heap_delete");
  int (*const version)(void) = (int (*)(void))find("mi_version");
  char* const p = make(100);
  memset(p, 1, 100);
  mi_heap_t* const heap = make_heap();
  memset(make_in(heap, 100), 1, 100);
  end_heap(heap);
  printf("version %d, theirs %d\n", version(), is_theirs(p));
  release(p);
  return 0;
}
