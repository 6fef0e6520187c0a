# Sets up, builds, and shows how the allocator changes a real program.
# help: [OPTIONS] [-- PROGRAM ARGUMENTS]: run a program under every allocator and compare, in a minute
# shellcheck shell=bash
source tools/dev/build.sh

# The default program is Lua, which makes every string, table and array with malloc and realloc. It
# indexes the text of Python's documentation. Both are on every Debian 12 that has our packages.
default_program=(lua5.4 tools/dev/word_index.lua /usr/lib/python3.11/pydoc_data/topics.py)

# names_program COMMAND WORDS…: whether the words after `heapsmith try` name a program, and are not
# options with their values alone. COMMAND says which options have values.
names_program() {
  local with_value word is_value=
  with_value=$("$1" try --help | grep -oE '^ +(-[a-z], )?--[a-z-]+ <' | grep -oE -- '--?[a-z][a-z-]*')
  for word in "${@:2}"; do
    if [[ $is_value ]]; then
      is_value=
    elif [[ $word == -- ]]; then
      return 0
    elif grep -qxF -e "$word" <<< "$with_value"; then
      is_value=1
    elif [[ $word != -?* ]]; then
      return 0
    fi
  done
  return 1
}

verb_try() {
  setup lab
  build_everything || die 1 "the build failed"
  local program=(--input /dev/null -- "${default_program[@]}")
  if [[ " $* " == *" --help "* || " $* " == *" -h "* ]] ||
    names_program build/release/heapsmith "$@"; then
    program=()
  elif [[ " $* " == *" --input"* ]]; then
    program=("${program[@]:2}")
  fi
  if ((${#program[@]})); then say "heapsmith try ${*:+$* }-- ${default_program[*]}"; fi
  # Programs and files are named as the caller sees them. The command names itself as it is called.
  local command=build/release/heapsmith
  # shellcheck disable=SC2154 # ./dev sets it
  if [[ $caller != "$PWD" ]]; then
    command=$PWD/$command
    program=("${program[@]/#tools/$PWD/tools}")
    cd "$caller" || exit
  fi
  exec "$command" try "$@" "${program[@]}"
}
