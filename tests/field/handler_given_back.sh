#!/usr/bin/env bash
# A program gives sigaction() the handler that sigset() returned, and SIGTERM comes.
# report: none
# right: the process dies of SIGTERM, and there is one report
# fails: not measured
set -euo pipefail
cat >back.c <<'PROGRAM'
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>

static void handle(int number) {
  (void)number;
}

int main(void) {
  struct sigaction action = {0};
  free(malloc(100));
  action.sa_handler = sigset(SIGTERM, handle);
  raise(SIGTERM);
  sigaction(SIGTERM, &action, NULL);
  raise(SIGTERM);
  return 7;
}
PROGRAM
"$CC" -O1 -fno-builtin -w back.c -o back

status=0
./back || status=$?
((status == 143)) || { echo "$status without heapsmith"; exit 1; }
status=0
(ulimit -f 1000 -c 0; HEAPSMITH_STATS_FILE=$PWD/figures LD_PRELOAD=$PRELOAD ./back) || status=$?
((status == 143)) || { echo "status $status"; exit 1; }
(($(grep -c 'in use' figures) <= 3)) || { echo "more than one report"; exit 1; }
