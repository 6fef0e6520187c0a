#!/bin/sh
# python3: records, dictionaries, texts and large integers.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

PYTHONHASHSEED=1 \
  /usr/bin/python3 "$cases/records.py" "$(by_size 8 2)" >"$printed"
check
