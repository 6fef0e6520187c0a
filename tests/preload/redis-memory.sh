#!/usr/bin/env bash
# redis-server asks jemalloc for statistics and purges. It must get those of our heap.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

client() { timeout 20 redis-cli -s "$PWD/socket" "$@"; }

# number NAME: a field of INFO memory.
number() { client INFO memory | tr -d '\r' | sed -n "s/^$1://p"; }

# expect DESCRIPTION COMMAND…: prints the description if the command fails.
expect() {
  local description=$1
  shift
  "$@" || echo "expected: $description"
}

between() { (($1 <= $2 && $2 <= $3)); }

job() {
  timeout 50 redis-server --port 0 --unixsocket "$PWD/socket" --save '' --dir "$PWD" >server.log &
  server=$!
  trap 'kill $server 2>/dev/null || true' EXIT
  for _ in {1..200}; do if client PING >/dev/null 2>&1; then break; fi; sleep 0.05; done
  gawk 'BEGIN { for (i = 0; i < 40000; i++) printf "SET key:%d %0500d\n", i, i }' | client >/dev/null
  sleep 0.3  # redis reads the statistics every 100 ms
  local used allocated active resident
  used=$(number used_memory) allocated=$(number allocator_allocated)
  active=$(number allocator_active) resident=$(number allocator_resident)
  # Redis adds up the usable sizes of its own blocks; libc's blocks come on top.
  expect "allocated close to used: $used <= $allocated" \
    between $((used - 200000)) "$allocated" $((used + used / 20 + 500000))
  expect "allocated <= active <= resident: $allocated $active $resident" \
    between "$allocated" "$active" "$resident"
  expect "statistics of heapsmith" grep -q '^heapsmith ' <(client MEMORY MALLOC-STATS)
  expect "40000 blocks of 512 bytes" \
    grep -qE '^ +512 +4[0-9]{4} ' <(client MEMORY MALLOC-STATS)
  client FLUSHALL >/dev/null
  expect "a purge" test "$(client MEMORY PURGE)" = OK
  sleep 0.3
  resident=$(number allocator_resident)
  expect "less than half of it after the purge: $resident" between 1 "$resident" $((active / 2))
  expect "no defragmentation" grep -q 'cannot be enabled' <(client CONFIG SET activedefrag yes)
  client SHUTDOWN NOSAVE >/dev/null 2>&1 || true
  wait "$server"
  rm -f server.log
}

own_run redis-server
pass_alone "INFO memory, MEMORY PURGE and MEMORY MALLOC-STATS speak of our heap"
