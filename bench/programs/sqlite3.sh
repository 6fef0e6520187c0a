#!/bin/sh
# sqlite3 builds, changes, queries and vacuums a database in memory.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

sqlite3 :memory: <"$input/shop.sql" >"$printed"
check
