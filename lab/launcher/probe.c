// Reports which library serves malloc in a process. Preloaded after the allocator, not when timing.
//
// Each process of the program appends one line to the file that HEAPSMITH_PROBE_FILE names:
//   PID <tab> path of the object that provides malloc <tab> the version it reports, or nothing
//   <tab> path of the program
// A forked child appends a line, too, and another one for each program that it executes.
// HEAPSMITH_PROBE_VERSION lists, separated by spaces, ways to find the version: KIND:SYMBOL, with
// the kinds
//   string   const char *SYMBOL()          int   int SYMBOL()
//   mallctl  jemalloc's SYMBOL("version")
// The first way whose symbol that object has gives the version.
// It runs in a constructor, before main, so the program cannot first close the file or run out of
// memory. It calls only libc.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { path_size = 4096, version_size = 128, ways_size = 512 };

// dlsym returns object pointers. ISO C has no cast from them to functions, so this copies the bits.
#define FUNCTION_FROM(type, name, symbol)                                                          \
  type name;                                                                                       \
  memcpy(&name, &(symbol), sizeof name)

// The symbol in the object that provides malloc: another library may have one of the same name.
static void* find_beside(const char* symbol, void* malloc_function) {
  Dl_info info;
  Dl_info expected;
  if (malloc_function == NULL || dladdr(malloc_function, &expected) == 0) return NULL;
  void* found = dlsym(RTLD_DEFAULT, symbol);
  if (found == NULL || dladdr(found, &info) == 0) return NULL;
  return info.dli_fbase == expected.dli_fbase ? found : NULL;
}

static void ask_version(const char* how, void* malloc_function, char* out, size_t size) {
  const char* symbol = strchr(how, ':');
  if (symbol == NULL) return;
  void* found = find_beside(symbol + 1, malloc_function);
  if (found == NULL) return;
  if (strncmp(how, "string:", 7) == 0) {
    // Three null arguments: tc_version takes optional out-pointers, other functions take nothing.
    typedef const char* (*string_version)(void*, void*, void*);
    FUNCTION_FROM(string_version, version, found);
    const char* text = version(NULL, NULL, NULL);
    if (text != NULL) snprintf(out, size, "%s", text);
  } else if (strncmp(how, "int:", 4) == 0) {
    typedef int (*int_version)(void);
    FUNCTION_FROM(int_version, version, found);
    snprintf(out, size, "%d", version());
  } else if (strncmp(how, "mallctl:", 8) == 0) {
    typedef int (*mallctl_call)(const char*, void*, size_t*, void*, size_t);
    FUNCTION_FROM(mallctl_call, mallctl, found);
    const char* text = NULL;
    size_t length = sizeof text;
    if (mallctl("version", &text, &length, NULL, 0) == 0 && text != NULL) {
      snprintf(out, size, "%s", text);
    }
  }
}

static void ask_in_turn(const char* ways, void* malloc_function, char* out, size_t size) {
  static char copy[ways_size];
  snprintf(copy, sizeof copy, "%s", ways);
  char* rest = NULL;
  for (char* how = strtok_r(copy, " ", &rest); how != NULL; how = strtok_r(NULL, " ", &rest)) {
    ask_version(how, malloc_function, out, size);
    if (out[0] != '\0') return;
  }
}

// Whether the symbol at an address is only the program's jump to a function elsewhere. In programs
// linked at a fixed address, that jump is the function's official address.
static int is_jump(void* function) {
  Dl_info info;
  void* symbol = NULL;
  if (dladdr1(function, &info, &symbol, RTLD_DL_SYMENT) == 0 || symbol == NULL) return 1;
  return ((const ElfW(Sym)*)symbol)->st_shndx == SHN_UNDEF;
}

// The first loaded library that defines malloc itself, in the order of symbol lookup.
static void* malloc_of_libraries(void) {
  for (const struct link_map* map = _r_debug.r_map; map != NULL; map = map->l_next) {
    if (map->l_name[0] == '\0') continue;
    void* library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) continue;
    void* found = dlsym(library, "malloc");
    Dl_info info;
    const int own = found != NULL && dladdr(found, &info) != 0 &&
                    info.dli_fbase == (void*)map->l_addr && !is_jump(found);
    dlclose(library);
    if (own) return found;
  }
  return NULL;
}

static void* find_malloc(void) {
  void* function = dlsym(RTLD_DEFAULT, "malloc");
  if (function == NULL || !is_jump(function)) return function;
  return malloc_of_libraries();
}

static char program[path_size];
static char file[path_size];
static char rest_of_line[2 * path_size + version_size + 8];

static void find_program(void) {
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
}

// The object's path. dladdr names the main program by argv[0], so its path comes from /proc/self.
static void object_path(void* function, char* out, size_t size) {
  Dl_info info;
  if (function != NULL && dladdr(function, &info) != 0 && info.dli_fname != NULL &&
      info.dli_fname[0] == '/' && strstr(info.dli_fname, ".so") != NULL) {
    snprintf(out, size, "%s", info.dli_fname);
    return;
  }
  snprintf(out, size, "%s", program);
}

// A forked child calls this, too, perhaps on a small stack.
static void write_line(void) {
  char pid[16];
  struct iovec parts[2];
  parts[0].iov_base = pid;
  parts[0].iov_len = (size_t)snprintf(pid, sizeof pid, "%d", (int)getpid());
  parts[1].iov_base = rest_of_line;
  parts[1].iov_len = strlen(rest_of_line);
  int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return;
  // One write of a short line to an append-only file, so lines of several processes never mix.
  ssize_t written = writev(fd, parts, 2);
  (void)written;
  close(fd);
}

__attribute__((constructor)) static void report_malloc(void) {
  const char* named = getenv("HEAPSMITH_PROBE_FILE");
  if (named == NULL) return;
  snprintf(file, sizeof file, "%s", named);
  find_program();
  static char library[path_size];
  static char version[version_size];
  void* malloc_function = find_malloc();
  object_path(malloc_function, library, sizeof library);
  const char* ways = getenv("HEAPSMITH_PROBE_VERSION");
  if (ways != NULL) ask_in_turn(ways, malloc_function, version, sizeof version);
  snprintf(rest_of_line, sizeof rest_of_line, "\t%s\t%s\t%s\n", library, version, program);
  write_line();
  pthread_atfork(NULL, NULL, write_line);
}
