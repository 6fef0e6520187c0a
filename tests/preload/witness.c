// Preloaded beside an allocator: each process reports which library its malloc comes from.
// WITNESS_FILE names the report; a line is "LIBRARY<TAB>PROGRAM".
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

// The library that defines malloc. An executable that is not position-independent may hold a PLT
// entry that stands for the address of malloc: a symbol it does not define. This library comes
// first in LD_PRELOAD, so what follows it is then the definition.
static const char* library_of_malloc(void) {
  Dl_info found;
  const ElfW(Sym)* symbol = NULL;
  void* malloc_here = dlsym(RTLD_DEFAULT, "malloc");
  if (!dladdr1(malloc_here, &found, (void**)&symbol, RTLD_DL_SYMENT)) return "nowhere";
  if (symbol && symbol->st_shndx == SHN_UNDEF && !dladdr(dlsym(RTLD_NEXT, "malloc"), &found))
    return "nowhere";
  return found.dli_fname;
}

// Before main; one write, so that lines of concurrent processes do not mix. Allocates nothing.
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
