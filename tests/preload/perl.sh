#!/usr/bin/env bash
# perl: hashes, sorting, regular expressions, closures, interpreter threads and fork.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

job() {
  PERL_HASH_SEED=0 timeout 60 perl "$cases/words.pl"
}

same_run perl
pass "$(wc -l <"$scratch/preload/stdout") lines identical"
