#!/usr/bin/env bash
# Links libheapsmith_override.a by hand and with its pkg-config file, with and without -flto, into
# dynamic and static programs. malloc must be heapsmith's as a whole. Arguments: the installed
# prefix, the folder of the programs.
set -uo pipefail
lib=$(dirname "$(find "$1" -maxdepth 2 -name libheapsmith_override.a)")
include=$1/include
cd "$2" || exit 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PKG_CONFIG_PATH=$lib/pkgconfig
read -ra packaged < <(pkg-config --cflags --libs heapsmith-malloc)
by_hand=(-I"$include" "$lib/libheapsmith_override.a")
failures=0

# links_whole FLAGS… -- COMPILER SOURCE…: the program runs, and all of malloc's family is heapsmith's.
links_whole() {
  local flags=()
  while [[ $1 != -- ]]; do flags+=("$1") && shift; done
  shift
  local compiler=$1
  shift
  if ! "$compiler" -O2 "${flags[@]}" "$@" -o "$scratch/program" 2>"$scratch/said"; then
    cat "$scratch/said"
  elif "$scratch/program" >"$scratch/said" 2>&1; then
    echo "ok: $compiler ${flags[*]} $1" && return
  fi
  cat "$scratch/said"
  echo "FAILED: $compiler ${flags[*]} $*"
  failures=$((failures + 1))
}

compilers=(gcc g++)
for clang in clang-19 clang; do
  if command -v "$clang" >/dev/null; then compilers+=("$clang" "${clang/clang/clang++}") && break; fi
done
for compiler in "${compilers[@]}"; do
  cp whole.c "$scratch/whole.cpp"
  source=whole.c
  if [[ $compiler == *++* ]]; then source=$scratch/whole.cpp; fi
  links_whole -- "$compiler" "$source" "${by_hand[@]}"
  links_whole -flto -- "$compiler" "$source" "${by_hand[@]}"
  links_whole -flto -Wl,--gc-sections -- "$compiler" "$source" "${by_hand[@]}"
  links_whole -flto -static -- "$compiler" "$source" "${by_hand[@]}"
  links_whole -flto -static-pie -- "$compiler" "$source" "${packaged[@]}"
  links_whole -static -Wl,--gc-sections -- "$compiler" "$source" "${packaged[@]}"
  links_whole -flto -Wl,--gc-sections -- "$compiler" "$source" "${packaged[@]}"
done

# uses_the_heap FLAGS…: statistics at its end show that a program of built-in functions uses it. Under
# -flto, GCC does not tell the linker that the program calls them.
uses_the_heap() {
  if gcc -O2 -flto builtins.c "$@" -o "$scratch/program" &&
    HEAPSMITH_STATS=1 "$scratch/program" 2>&1 | grep -q '^heapsmith .*process'; then
    echo "ok: a program of built-in functions under -flto with $*"
  else
    echo "FAILED: a program of built-in functions under -flto has another malloc with $*"
    failures=$((failures + 1))
  fi
}
uses_the_heap "${by_hand[@]}"
uses_the_heap -static "${by_hand[@]}"
uses_the_heap -fuse-ld=gold "${by_hand[@]}"
uses_the_heap -L"$lib" -lheapsmith_override
uses_the_heap "${packaged[@]}"

# Libraries that the program opens find the heap by this function.
if nm -D --defined-only "$scratch/program" | grep -q ' hs_version$'; then
  echo "ok: the program exports the hs_ functions"
else
  echo "FAILED: the program does not export the hs_ functions"
  failures=$((failures + 1))
fi

# The archives together: the override library comes first. In the other order nothing is linked.
both=("$lib/libheapsmith_override.a" "$lib/libheapsmith.a")
links_whole -- gcc -I"$include" with_regions.c "${both[@]}"
links_whole -flto -static -- gcc -I"$include" with_regions.c "${both[@]}"
if gcc -I"$include" with_regions.c "${both[1]}" "${both[0]}" -o "$scratch/program" 2>"$scratch/said"; then
  echo "FAILED: libheapsmith.a before libheapsmith_override.a must not link"
  failures=$((failures + 1))
else
  grep -m 1 "multiple definition of .hs_" "$scratch/said" || failures=$((failures + 1))
fi
((failures == 0))
