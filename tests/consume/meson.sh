#!/usr/bin/env bash
# A project of Meson with heapsmith as a subproject: the wrap file, and the archive of the source.
# Arguments: the source tree, libheapsmith.so as CMake built it, and a folder to build in.
set -euo pipefail
command -v meson >/dev/null || { echo "meson is not installed"; exit 77; }
scratch=$3
rm -rf "$scratch"
project=$scratch/project
mkdir -p "$project/subprojects"
cp "$1"/tests/consume/meson/meson.build "$1"/tests/consume/package/{calls_hs,replaces_malloc}.c* \
  "$project"
cp -r "$1"/tools/packaging/meson/. "$project/subprojects"
name=$(sed -n 's/^directory = //p' "$project/subprojects/heapsmith.wrap")
tar -czf "$project/subprojects/packagefiles/$name.tar.gz" -C "$1" \
  --transform "s,^,$name/,S" LICENSE cmake include src
meson setup "$scratch/build" "$project" --buildtype=release >"$scratch/log" ||
  { cat "$scratch/log" && exit 1; }
if ! nice -n 5 meson test -C "$scratch/build" --no-suite heapsmith >"$scratch/log" 2>&1; then
  cat "$scratch/log"
  exit 1
fi
grep -E '^Ok: +6 *$' "$scratch/log" || { cat "$scratch/log" && exit 1; }

# Programs without the replacement need the shared library, those with it export its functions.
cd "$scratch/build"
readelf -d shared_c | grep -F '[libheapsmith.so.0]' >/dev/null
for program in static_c replaced_c replaced_cpp; do
  if readelf -d "$program" | grep -F libheapsmith; then echo "FAILED: $program"; exit 1; fi
done
nm -D --defined-only replaced_c | grep -E ' T malloc$' >/dev/null
nm -D --defined-only replaced_c | grep -E ' T hs_stats$' >/dev/null
exported() { nm -D --defined-only "$1" | sed 's/.* //' | sort; }
library=$(find . -name libheapsmith.so.0.1.0)
diff <(exported "$library") <(exported "$2") || { echo "FAILED: other exports than CMake's"; exit 1; }
echo ok
