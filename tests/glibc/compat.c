// Linked into every glibc test: stops it before main unless malloc comes from the library meant.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The test driver wants to know where the objects lie; only tests in containers, which we do not
// run, use it.
const char support_objdir_root[] = ".";

enum { exit_wrong_malloc = 97 };

static void stop(const char* reason) {
  (void)!write(STDERR_FILENO, reason, strlen(reason));
  (void)!write(STDERR_FILENO, "\n", 1);
  _exit(exit_wrong_malloc);
}

// Two paths to one file compare by their last component: the loader records the path it was given.
static const char* file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

__attribute__((constructor)) static void require_expected_malloc(void) {
  const char* expected = getenv("EXPECTED_MALLOC_LIBRARY");
  Dl_info found;
  if (!expected) stop("EXPECTED_MALLOC_LIBRARY is not set");
  if (!dladdr(dlsym(RTLD_DEFAULT, "malloc"), &found)) stop("malloc lies in no loaded library");
  if (strcmp(file_name(found.dli_fname), file_name(expected)) != 0) stop(found.dli_fname);
}
