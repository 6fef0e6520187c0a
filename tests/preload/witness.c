// Preloaded beside an allocator. Each process reports the library that provides its malloc.
// WITNESS_FILE names the report. A line is "LIBRARY<TAB>PROGRAM".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static struct iovec text(const char* string) {
  return (struct iovec){(void*)string, strlen(string)};
}

// The library that defines malloc. In an executable that is not position-independent, a PLT entry
// may serve as the address of malloc, although the executable does not define malloc. This library
// comes first in LD_PRELOAD, so the next symbol after it is the definition.
static const char* library_of_malloc(void) {
  Dl_info found;
  const ElfW(Sym)* symbol = NULL;
  void* malloc_here = dlsym(RTLD_DEFAULT, "malloc");
  if (!dladdr1(malloc_here, &found, (void**)&symbol, RTLD_DL_SYMENT)) return "nowhere";
  if (symbol && symbol->st_shndx == SHN_UNDEF && !dladdr(dlsym(RTLD_NEXT, "malloc"), &found))
    return "nowhere";
  return found.dli_fname;
}

// Runs before main. One write, so that lines of concurrent processes do not mix. Allocates nothing.
__attribute__((constructor)) static void report(void) {
  const char* path = getenv("WITNESS_FILE");
  if (!path) return;
  int saved_errno = errno;
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) {
    struct iovec line[] = {text(library_of_malloc()), text("\t"),
                           text(program_invocation_short_name), text("\n")};
    (void)!writev(file, line, 4);
    close(file);
  }
  errno = saved_errno;
}
