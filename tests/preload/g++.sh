#!/usr/bin/env bash
# g++ compiles and links a program full of templates. Object and executable must be identical.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

job() {
  cp "$cases/templates.cpp" .
  local flags=(-std=c++20 -O2 -g "-ffile-prefix-map=$PWD=." -frandom-seed=1)
  g++ "${flags[@]}" -c templates.cpp
  g++ "${flags[@]}" templates.o -o templates
  ./templates
}

same_run cc1plus as collect2 ld templates
pass "object and executable identical"
