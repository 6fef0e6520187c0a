#!/bin/sh
# jq parses a document, groups its records and writes them again.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

jq -S 'group_by(.kind) | map({kind: .[0].kind, count: length, names: (map(.name) | unique),
  weight: (map(.weights | add) | add), texts: (map(.text | ascii_upcase) | sort)})' \
  "$input/records.json" >"$printed"
check
