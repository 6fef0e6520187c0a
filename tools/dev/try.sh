# Sets up, builds, and shows how the allocator changes a real program.
# help: [-- PROGRAM ARGUMENTS]: run a program under every allocator and compare
# shellcheck shell=bash
source tools/dev/build.sh

# The default program is CPython reading its own standard library. With PYTHONMALLOC=malloc every
# Python object is a block of the process's allocator.
default_program=(env PYTHONMALLOC=malloc /usr/bin/python3 -I tools/dev/syntax_trees.py)

verb_try() {
  setup lab
  build_everything || die 1 "the build failed"
  if (($# > 0)); then exec build/release/heapsmith try "$@"; fi
  say "heapsmith try -- ${default_program[*]}"
  exec build/release/heapsmith try -- "${default_program[@]}"
}
