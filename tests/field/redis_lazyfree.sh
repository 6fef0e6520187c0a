#!/usr/bin/env bash
# Redis frees values in a thread of its own, while its main thread replaces them.
# report: microsoft/mimalloc#1364
# right: every value is read back as it was written, and a save to disk keeps them
# fails: not measured
set -euo pipefail
if ! command -v redis-server >/dev/null; then echo "no redis-server"; exit 77; fi

client() { timeout 60 redis-cli -s "$PWD/socket" "$@"; }

serve() {
  rm -f socket dump.rdb
  "$@" redis-server --port 0 --unixsocket "$PWD/socket" --save '' --dir "$PWD" --io-threads 2 \
    --lazyfree-lazy-user-del yes --lazyfree-lazy-server-del yes --activedefrag no >server.log 2>&1 &
  local server=$! round
  for _ in {1..200}; do
    if client PING >/dev/null 2>&1; then break; fi
    sleep 0.05
  done
  for round in 1 2 3; do
    for key in {1..40}; do
      printf 'DEL list:%d\n' "$key"
      printf 'RPUSH list:%d' "$key"
      for element in {1..300}; do printf ' value:%d:%d:%d' "$round" "$key" "$element"; done
      printf '\n'
    done
  done | client >/dev/null
  client SAVE >/dev/null
  for key in {1..40}; do client LRANGE "list:$key" 0 -1; done | sha256sum
  client SHUTDOWN NOSAVE >/dev/null 2>&1 || true
  wait "$server"
}

expected=$(serve env)
[[ $(serve env LD_PRELOAD="$DIALECTS") == "$expected" ]]
if [[ -x $HEAPSMITH ]]; then [[ $(serve "$HEAPSMITH" record -o redis.trace --) == "$expected" ]]; fi
