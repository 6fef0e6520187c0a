#!/bin/sh
# perl: hashes, sorting and regular expressions, in threads and in children.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

PERL_HASH_SEED=0 perl "$cases/words.pl" >"$printed"
check
