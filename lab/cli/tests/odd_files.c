// A program whose code lies in a file with an odd name, or in no file. odd_files KIND NAME: copies
// a function that calls malloc to NAME and calls it there; then NAME becomes another kind of file.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int opened(const char* kind, const char* name) {
  if (strcmp(kind, "memfd") == 0) return memfd_create(name, 0);
  if (strcmp(kind, "device") == 0) return open("/dev/zero", O_RDWR);
  return open(name, O_RDWR | O_CREAT | O_TRUNC, 0700);
}

// The name goes to another kind of file. The mapping stays.
static int become(const char* kind, const char* name) {
  if (strcmp(kind, "pipe") == 0) return remove(name) || mkfifo(name, 0600);
  if (strcmp(kind, "gone") == 0) return remove(name);
  if (strcmp(kind, "device_link") == 0) return remove(name) || symlink("/dev/zero", name);
  if (strcmp(kind, "socket") == 0) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    strncpy(at.sun_path, name, sizeof at.sun_path - 1);
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    return remove(name) || bind(file, (struct sockaddr*)&at, sizeof at);
  }
  return 0;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const int file = opened(words[1], words[2]);
  const int is_device = strcmp(words[1], "device") == 0;
  const off_t bytes = strcmp(words[1], "hole") == 0 ? (off_t)1 << 40 : 4096;
  if (file < 0 || (!is_device && ftruncate(file, bytes) != 0)) return 4;
  unsigned char* code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                             is_device ? MAP_PRIVATE : MAP_SHARED, file, 0);
  if (code == MAP_FAILED) return 5;
  // sub $8, %rsp; movabs $malloc, %rax; call *%rax; add $8, %rsp; ret
  const unsigned char call[] = {0x48, 0x83, 0xec, 8,    0x48, 0xb8, 0,    0,    0, 0,   0,
                                0,    0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3};
  void* (*const function)(size_t) = malloc;
  memcpy(code, call, sizeof call);
  memcpy(code + 6, &function, sizeof function);
  void* (*make)(size_t);
  memcpy(&make, &code, sizeof code);
  for (size_t i = 0; i < 1000; ++i) free(make(700 + i % 8));
  if (become(words[1], words[2]) != 0) return 6;
  puts("done");
  return make(700) == NULL;
}
