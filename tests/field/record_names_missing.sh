#!/usr/bin/env bash
# A static program, one whose environment was cleared, and a daemon, in the tree of a recorded shell.
# report: bloomberg/memray#443, koute/bytehound#83
# right: a process is recorded, or named with its reason
# fails: not measured
cat >app.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void* volatile kept;
int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "daemon") == 0) {
    if (daemon(1, 1) != 0) return 1;
    usleep(500000);
  }
  for (int i = 0; i < 20000; ++i) free(kept = malloc(16 + i % 500));
  return 0;
}
C
"$CC" -O1 -fno-builtin app.c -o app || exit 1
"$CC" -O1 -fno-builtin -static app.c -o app-static || exit 1
"$HEAPSMITH" record -o a.trace -- sh -c './app-static; :' 2>said || exit 1
grep -q '(./app-static) was not recorded: it is linked statically' said || { cat said; exit 1; }
"$HEAPSMITH" record -o b.trace -- env -i ./app 2>said || exit 1
grep -q '^heapsmith: 4000[0-9] events in b.trace' said || { cat said; exit 1; }
"$HEAPSMITH" record -o c.trace -- ./app daemon 2>said || exit 1
grep -q '(app) still runs' said || { cat said; exit 1; }
"$HEAPSMITH" record --wait -o d.trace -- ./app daemon 2>said || exit 1
grep -q '^heapsmith: 4000[0-9] events in d.trace' said || { cat said; exit 1; }
