#!/usr/bin/env bash
# Installs the Debian packages into a folder, by dpkg with a database of its own. Builds programs
# against them, runs the command, and removes the packages: no file may stay.
# Arguments: the folder of the packages, the source tree.
set -euo pipefail
packages=$(realpath "$1") source=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
export PATH=$PATH:/usr/sbin:/sbin

# lintian may find nothing that the packages' own overrides do not explain.
lintian --allow-root --fail-on error,warning "$packages"/*.deb
echo "ok: lintian has no errors and no warnings"

mkdir -p "$root/var/lib/dpkg"/{info,updates,triggers}
: >"$root/var/lib/dpkg/status"
in_root() { fakeroot dpkg --root="$root" --log=/dev/null --force-depends "$@" >"$scratch/said" 2>&1 ||
  { cat "$scratch/said" && exit 1; }; }
files() { find "$root" -path "$root/var" -prune -o -not -type d -print; }
in_root -i "$packages"/*.deb
for package in libheapsmith0 libheapsmith-dev heapsmith; do
  [[ $(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Status}' "$package") == "install ok installed" ]]
  (cd "$root" && md5sum --quiet -c "var/lib/dpkg/info/$package.md5sums")
done
grep -qx "activate-noawait ldconfig" "$root/var/lib/dpkg/info/libheapsmith0.triggers"
grep -qE "^libheapsmith 0 libheapsmith0 \(>= " "$root/var/lib/dpkg/info/libheapsmith0.shlibs"
(($(files | wc -l) > 100))
echo "ok: the packages are installed"

"$source/tests/consume/pkg_config.sh" "$root/usr" "$source/tests/consume/package/calls_hs.c" \
  "$source/tests/consume/package/families.cpp"
ctest --build-and-test "$source/tests/consume/package" "$scratch/cpp" --build-generator Ninja \
  --build-options "-DCMAKE_PREFIX_PATH=$root/usr" -DLANGUAGE=CXX \
  --test-command ctest --output-on-failure --no-tests=error >"$scratch/said" 2>&1 ||
  { tail -n 40 "$scratch/said" && exit 1; }
echo "ok: programs in C and C++ use the installed libraries"
"$source/tests/consume/command.sh" "$root/usr"
"$source/tests/consume/manual.sh" "$root/usr"

in_root --purge heapsmith libheapsmith-dev libheapsmith0
if [[ -n $(files) ]]; then
  files
  echo "FAILED: these files stayed"
  exit 1
fi
echo "ok: the removed packages left no file"
