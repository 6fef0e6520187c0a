#!/bin/sh
# z3 answers a puzzle of holes and pigeons, a product of bit vectors, and a square of integers.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

z3 "$input/puzzles.smt2" >"$printed"
check
