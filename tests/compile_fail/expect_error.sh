#!/usr/bin/env bash
# A program that must not compile: it does without -DWRONG, and with it fails with the text that
# the source announces behind "expect:". usage: expect_error.sh SOURCE COMPILER ARGUMENTS…
set -uo pipefail
source=$1
shift
expected=$(sed -n 's/.*expect: //p' "$source")
if [[ -z $expected ]]; then echo "$source announces no error" && exit 1; fi

"$@" -fsyntax-only "$source" || { echo "the right form does not compile" && exit 1; }
if text=$("$@" -DWRONG -fsyntax-only "$source" 2>&1); then echo "the wrong form compiles" && exit 1; fi
if [[ $text == *"$expected"* ]]; then exit 0; fi
printf 'no such error: %s\n%s\n' "$expected" "$text"
exit 1
