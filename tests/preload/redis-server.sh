#!/usr/bin/env bash
# redis-server under redis-benchmark. BGSAVE, reload and restart must keep the digest of its data.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

client() { timeout 60 redis-cli -s "$PWD/socket" "$@"; }

start_server() {
  timeout 100 redis-server --port 0 --unixsocket "$PWD/socket" --save '' --dir "$PWD" \
    --enable-debug-command yes --io-threads 2 --lazyfree-lazy-user-del yes >>server.log &
  server=$!
  for _ in {1..200}; do
    if client PING >/dev/null 2>&1; then return; fi
    sleep 0.05
  done
  cat server.log >&2
  return 1
}

stop_server() {
  client SHUTDOWN NOSAVE >/dev/null 2>&1 || true
  wait "$server"
}

# The same data in every run, with every type of value.
fixed_data() {
  gawk 'BEGIN {
    for (i = 0; i < 20000; i++) {
      print "SET string:" i % 9000, sprintf("%0*d", i % 300 + 1, i)
      print "APPEND string:" i % 500, "tail" i
      print "RPUSH list:" i % 300, "element" i
      print "HSET hash:" i % 200, "field" i, i * 7
      print "ZADD sorted:" i % 50, i % 1000, "member" i
      print "SADD set:" i % 70, i
      if (i % 3 == 0) print "DEL string:" (i * 7) % 9000
    }
  }'
}

# save_and_digest: BGSAVE forks while the benchmark keeps writing to another database.
save_and_digest() {
  local before
  timeout 60 redis-benchmark -s "$PWD/socket" --dbnum 1 -q -n 20000 -c 20 -P 8 -r 5000 -d 200 \
    -t set,lpush,hset,zadd,spop,lpop >/dev/null 2>&1 &
  local benchmark=$!
  client BGSAVE >/dev/null
  while [[ $(client INFO persistence) == *rdb_bgsave_in_progress:1* ]]; do sleep 0.05; done
  wait "$benchmark"
  client INFO persistence | grep -o 'rdb_last_bgsave_status:[a-z]*'
  # No client writes now, so a second BGSAVE must read back the same as the data in memory.
  before=$(client DEBUG DIGEST)
  client BGSAVE >/dev/null
  while [[ $(client INFO persistence) == *rdb_bgsave_in_progress:1* ]]; do sleep 0.05; done
  stop_server
  start_server
  [[ $(client DEBUG DIGEST) == "$before" ]] && echo "restart: same digest"
  client DEBUG RELOAD
  [[ $(client DEBUG DIGEST) == "$before" ]] && echo "reload: same digest"
}

job() {
  server=
  trap 'kill $server 2>/dev/null || true' EXIT
  start_server
  fixed_data | client >/dev/null
  echo "fixed data: $(client DEBUG DIGEST) $(client DBSIZE)"
  save_and_digest
  client -n 1 FLUSHDB
  client MEMORY PURGE
  echo "after the flush: $(client DEBUG DIGEST) $(client DBSIZE)"
  stop_server
  rm -f server.log dump.rdb
}

same_run redis-server redis-cli redis-benchmark
pass "digest kept across BGSAVE, restart and reload"
