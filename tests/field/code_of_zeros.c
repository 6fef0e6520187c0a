// Code that was made at run time lies in a private mapping of /dev/zero, and calls malloc.
// report: none
// right: the calls are recorded, and the device, which has no end, is not read for symbols
// fails: not measured
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(void) {
#ifdef __x86_64__
  // sub $8, %rsp; movabs $malloc, %rax; call *%rax; add $8, %rsp; ret
  unsigned char call[] = {0x48, 0x83, 0xec, 8,    0x48, 0xb8, 0,    0,    0, 0,   0,
                          0,    0,    0,    0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3};
  void* (*const function)(size_t) = malloc;
  memcpy(call + 6, &function, sizeof function);
  const int zero = open("/dev/zero", O_RDWR);
  if (zero < 0) return printf("no /dev/zero\n"), 1;
  void* code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE, zero, 0);
  if (code == MAP_FAILED) return printf("no code at run time\n"), 1;
  memcpy(code, call, sizeof call);
  void* (*make)(size_t);
  memcpy(&make, &code, sizeof code);
  for (size_t n = 0; n < 1000; ++n) {
    char* block = make(n + 1);
    if (block == NULL) return printf("no block of %zu bytes\n", n + 1), 1;
    memset(block, 1, n + 1);
    free(block);
  }
#endif
  puts("ok");
  return 0;
}
