# Compares the ABI of libheapsmith.so with the reviewed one, tools/packaging/heapsmith.abi.
# help: compares the ABI of libheapsmith.so with the reviewed one; --update accepts the new one
# shellcheck shell=bash
source tools/dev/build.sh

reviewed_abi=tools/packaging/heapsmith.abi
abi=build/abi

# dump_abi: writes $abi/heapsmith.abi. libheapsmith.so exports jumps, which have no types, so the
# types are those of the same functions in libheapsmith.a. The dump has no lines and no folders
# of this machine, so that it changes only if the ABI does.
dump_abi() {
  local map=src/adapt/heapsmith.map
  mkdir -p "$abi"
  build_preset release heapsmith heapsmith_static || return
  c++ -shared -nodefaultlibs -Wl,-soname,libheapsmith.so.0 -Wl,--version-script="$map" \
    -Wl,--whole-archive build/release/libheapsmith.a -Wl,--no-whole-archive -lgcc -lc \
    -o "$abi/libheapsmith.so" || return
  abidw --headers-dir include/heapsmith --drop-private-types --exported-interfaces-only \
    --no-corpus-path --no-comp-dir-path --no-show-locs --type-id-style hash \
    "$abi/libheapsmith.so" | sed "s|path='[^']*/src/|path='src/|" >"$abi/heapsmith.abi"
}

exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort; }

# compare_abi: fails if the library exports a function that the dump lacks, or if the ABI changed.
compare_abi() {
  dump_abi || return
  if ! diff <(exported "$abi/libheapsmith.so") <(exported build/release/libheapsmith.so) >&2; then
    echo "libheapsmith.so and libheapsmith.a have different functions (above)" >&2
    return 1
  fi
  if ! abidiff --no-show-locs "$reviewed_abi" "$abi/heapsmith.abi" >&2; then
    echo "the ABI is not that of $reviewed_abi (above); if this is meant: ./dev abi --update" >&2
    return 1
  fi
}

verb_abi() {
  setup test
  case ${1:-} in
    --update) { dump_abi && cp "$abi/heapsmith.abi" "$reviewed_abi"; } || die 1 "no dump was made" ;;
    '') compare_abi || die 1 "the ABI changed" ;;
    *) die 2 "usage: ./dev abi [--update]" ;;
  esac
}
