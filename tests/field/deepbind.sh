#!/usr/bin/env bash
# A module that is opened with RTLD_DEEPBIND, as PHP's are, exchanges blocks with its program.
# report: none
# right: blocks of either are freed by the other
# fails: not measured
# under: preload
set -euo pipefail
cat >module.c <<'END'
#include <stdlib.h>
#include <string.h>
char* make(void) { return strdup("of the module"); }
void end(void* p) { free(p); }
END
cat >host.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
int main(void) {
  void* const h = dlopen("./module.so", RTLD_NOW | RTLD_DEEPBIND);
  char* (*make)(void);
  void (*end)(void*);
  if (h == 0) return 9;
  *(void**)&make = dlsym(h, "make");
  *(void**)&end = dlsym(h, "end");
  for (int i = 0; i < 1000; ++i) free(make()), end(malloc(i * 100));
  return 0;
}
END
"$CC" -O1 -fno-builtin -shared -fPIC -o module.so module.c
"$CC" -O1 -fno-builtin -o host host.c -ldl
./host
LD_PRELOAD=$PRELOAD ./host
LD_PRELOAD=$DIALECTS ./host
if command -v php >/dev/null; then LD_PRELOAD=$PRELOAD php -v | grep -q '^PHP'; fi
