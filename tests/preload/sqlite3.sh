#!/usr/bin/env bash
# sqlite3 builds, changes and vacuums a database. Dump, integrity and file must be the same.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

job() {
  timeout 60 sqlite3 shop.db <"$cases/shop.sql"
  sqlite3 shop.db .dump | sha256sum
  sqlite3 shop.db 'PRAGMA integrity_check; PRAGMA foreign_key_check; SELECT count(*) FROM sale;'
}

same_run sqlite3 sha256sum
[[ $(tail -n 2 "$scratch/preload/stdout" | head -n 1) == ok ]] || fail "integrity_check is not ok"
pass "integrity_check ok, dump and file identical"
