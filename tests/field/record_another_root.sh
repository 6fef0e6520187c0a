#!/usr/bin/env bash
# A daemon changes its root and its user while it is recorded, and forks there.
# report: HPCToolkit/hpctoolkit#410, KDE/heaptrack#22
# right: the traces have all calls of all its processes
# fails: not measured
[ "$(id -u)" = 0 ] || exit 77
cat >jail.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void* volatile kept;
static void work(void) {
  for (int i = 0; i < 100000; ++i) free(kept = malloc(16 + i % 500));
}
int main(void) {
  work();
  if (chroot("root") != 0 || chdir("/") != 0 || setgid(65534) != 0 || setuid(65534) != 0) return 1;
  if (fork() == 0) {
    work();
    _exit(0);
  }
  wait(NULL);
  work();
  return 0;
}
C
mkdir root
"$CC" -O1 -fno-builtin jail.c -o jail || exit 1
"$HEAPSMITH" record -o t.trace -- ./jail 2>said || exit 1
events() { "$HEAPSMITH" info "$1" | sed -n '2s/ events.*//p'; }
[ "$(events t.trace)" -ge 400000 ] || { cat said; exit 1; }
[ "$(events t.trace.others/*.trace)" -ge 200000 ] || { cat said; exit 1; }
! grep -q -e missing -e 'not recorded' said
