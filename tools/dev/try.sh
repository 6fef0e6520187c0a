# Sets up, builds, and shows how the allocator changes a real program.
# help: [-- PROGRAM ARGUMENTS]: run a program under every allocator and compare, in a minute
# shellcheck shell=bash
source tools/dev/build.sh

# The default program is Lua, which makes every string, table and array with malloc and realloc. It
# indexes the text of Python's documentation. Both are on every Debian 12 that has our packages.
default_program=(lua5.4 tools/dev/word_index.lua /usr/lib/python3.11/pydoc_data/topics.py)

verb_try() {
  setup lab
  build_everything || die 1 "the build failed"
  if (($# == 0)); then
    say "heapsmith try -- ${default_program[*]}"
    exec build/release/heapsmith try --input /dev/null -- "${default_program[@]}"
  fi
  # Programs and files are named as the caller sees them. The command names itself as it is called.
  local command=build/release/heapsmith
  # shellcheck disable=SC2154 # ./dev sets it
  if [[ $caller != "$PWD" ]]; then
    command=$PWD/$command
    cd "$caller" || exit
  fi
  exec "$command" try "$@"
}
