#!/usr/bin/env bash
# A program is linked with a mimalloc whose interface libheapsmith_dialects.so does not serve.
# report: oven-sh/bun#40138, microsoft/mimalloc#1287
# right: it starts, and the library's functions work with its own blocks
# fails: not measured
set -eu
tests=$SOURCES/../dialects
"$CC" -O1 -fno-builtin -shared -fPIC -DLIBRARY_VERSION=30302 "$tests/newer_library.c" -o libnewer.so
"$CC" -O1 -fno-builtin "$tests/newer.c" -o program -Wl,--no-as-needed ./libnewer.so -ldl
said=$(LD_PRELOAD="$DIALECTS" ./program)
[ "$said" = "version 30302, theirs 1" ] || { echo "$said"; exit 1; }
