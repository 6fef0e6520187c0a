/* Whether every function of malloc's family is heapsmith's. Exit status 0: all are; 1: some are; 2:
   none is. The program names no hs_ function but a weak one, which takes nothing from an archive.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __cplusplus
#include <new>
#include <string>
#endif

#ifdef __cplusplus
extern "C"
#endif
    __attribute__((weak)) size_t
    hs_malloc_usable_size(const void* block);

static int ours, others;

/* hs_malloc_usable_size aborts if the block is not heapsmith's, so a child asks. */
static void count(const char* name, void* block) {
  int status = 1;
  pid_t child;
  fflush(NULL);
  child = fork();
  if (child == 0) {
    fclose(stderr);
    _exit(hs_malloc_usable_size(block) == 0);
  }
  waitpid(child, &status, 0);
  if (status == 0) return (void)++ours;
  ++others;
  printf("%s is not heapsmith's\n", name);
}

int main(void) {
  void* p = NULL;
  char* line = NULL;
  if (hs_malloc_usable_size == NULL) return 2;
  count("malloc", malloc(100));
  count("calloc", calloc(10, 10));
  count("realloc", realloc(malloc(100), 50000));
  count("reallocarray", reallocarray(NULL, 10, 10));
  count("memalign", memalign(64, 100));
  count("aligned_alloc", aligned_alloc(64, 128));
  if (posix_memalign(&p, 64, 100) == 0) count("posix_memalign", p);
  count("valloc", valloc(100));
  count("pvalloc", pvalloc(100));
  count("strdup", strdup("inside libc"));
  if (asprintf(&line, "inside libc, %d", 2) > 0) count("asprintf", line);
  free(line);
#ifdef __cplusplus
  count("new", ::operator new(100));
  count("new[]", ::operator new[](100));
  count("nothrow new", ::operator new(100, std::nothrow));
  count("aligned new", ::operator new(100, std::align_val_t{256}));
  std::string text(64, 'x');
  text.append(1000, 'y'); /* the code of this is in libstdc++ */
  count("std::string", &text[0]);
#endif
  return others == 0 ? 0 : ours == 0 ? 2 : 1;
}
