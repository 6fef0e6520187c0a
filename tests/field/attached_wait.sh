#!/usr/bin/env bash
# A program waits in a call with a time limit while its recording begins, and notices nothing.
# report: bloomberg/memray#443
# right: the call ends with EAGAIN, after its limit
# fails: not measured
# under: recorder
set -eu
cat >wait.c <<'C'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static void* volatile kept;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(void) {
  int pair[2];
  char byte;
  struct timeval limit = {0, 800000};
  socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
  for (int n = 0; n < 20; ++n) {
    const double begin = seconds();
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const long got = recv(pair[0], &byte, 1, 0);
    const double took = seconds() - begin, right = (double)limit.tv_usec / 1e6;
    if (got >= 0 || errno != EAGAIN || took < right - 0.001 || took > right + 0.5) {
      printf("wait %d: %ld, %s, after %.2f s of %.2f\n", n, got, strerror(errno), took, right);
      return 1;
    }
    limit.tv_usec = 30000;
    free(kept = malloc(700));
  }
  puts("ok");
  return 0;
}
C
"$CC" -O1 -g -fno-builtin wait.c -o wait
./wait >out &
process=$!
sleep 0.3
"$HEAPSMITH" record -o wait.trace -p "$process" --for 100ms 2>said || {
  cat said
  kill "$process"
  exit 1
}
wait "$process" || {
  cat out
  exit 1
}
cat out
test -s wait.trace
