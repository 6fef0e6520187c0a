// Linked into every glibc test: exits before main unless malloc comes from the expected library.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The test driver needs the folder of the objects. Only tests in containers use it, and we do not
// run those.
const char support_objdir_root[] = ".";

enum { exit_wrong_malloc = 97 };

static void stop(const char* reason) {
  (void)!write(STDERR_FILENO, reason, strlen(reason));
  (void)!write(STDERR_FILENO, "\n", 1);
  _exit(exit_wrong_malloc);
}

// Compares by the last component, since the loader records the path that it was given.
static const char* file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

__attribute__((constructor)) static void require_expected_malloc(void) {
  const char* expected = getenv("EXPECTED_MALLOC_LIBRARY");
  Dl_info found;
  if (!expected) stop("EXPECTED_MALLOC_LIBRARY is not set");
  if (!dladdr(dlsym(RTLD_DEFAULT, "malloc"), &found)) stop("no loaded library defines malloc");
  if (strcmp(file_name(found.dli_fname), file_name(expected)) != 0) stop(found.dli_fname);
}
