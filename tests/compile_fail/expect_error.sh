#!/usr/bin/env bash
# Checks that a source compiles, but not with -DWRONG, where the error contains the text that the
# source has behind "expect:". usage: expect_error.sh SOURCE COMPILER ARGUMENTS…
set -uo pipefail
source=$1
shift
expected=$(sed -n 's/.*expect: //p' "$source")
if [[ -z $expected ]]; then echo "$source expects no error" && exit 1; fi

"$@" -fsyntax-only "$source" || { echo "it does not compile without -DWRONG" && exit 1; }
if text=$("$@" -DWRONG -fsyntax-only "$source" 2>&1); then echo "it compiles with -DWRONG" && exit 1; fi
if [[ $text == *"$expected"* ]]; then exit 0; fi
printf 'no such error: %s\n%s\n' "$expected" "$text"
exit 1
