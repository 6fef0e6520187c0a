#!/usr/bin/env bash
# A library has a name that is no UTF-8 and that a terminal would obey, and its blocks are recorded.
# report: none
# right: each tool shows the name with escapes, and the functions of the library by their names
# fails: not measured
set -euo pipefail
if [[ ! -x $HEAPSMITH ]]; then echo "no $HEAPSMITH"; exit 77; fi

cat >library.c <<'PROGRAM'
#include <stdlib.h>
void* library_block(size_t n) { return malloc(n); }
PROGRAM
cat >program.c <<'PROGRAM'
#include <dlfcn.h>
#include <stdlib.h>
int main(int count, char** words) {
  void* library = dlopen(words[count - 1], RTLD_NOW);
  if (library == NULL) return 2;
  void* (*make)(size_t);
  *(void**)&make = dlsym(library, "library_block");
  for (int i = 0; i < 100; ++i) free(make(5000));
  return 0;
}
PROGRAM
name=$PWD/$'lib\e[31m\xff|\n`.so'
"$CC" -g -O1 -fno-builtin -shared -fPIC library.c -o "$name"
"$CC" -g -O1 -fno-builtin program.c -o program -ldl

status=0
for command in "record -o case.trace -- ./program" "info case.trace" \
  "diff case.trace case.trace --all --export-markdown -" "export --to csv -o - case.trace"; do
  read -ra words <<<"$command"
  if [[ ${words[0]} == record ]]; then words+=("$name"); fi
  ended=0
  "$HEAPSMITH" "${words[@]}" >said 2>&1 || ended=$?
  if ((ended != 0)) || LC_ALL=C grep -q $'[\e\xff]' said; then
    echo "FAILED: status $ended or raw bytes: heapsmith $command"
    cat -v said
    status=1
  fi
done
if ! "$HEAPSMITH" info case.trace | grep -q 'library_block at library.c:2'; then
  echo "FAILED: no names"
  status=1
fi
if ((status == 0)); then echo ok; fi
exit "$status"
