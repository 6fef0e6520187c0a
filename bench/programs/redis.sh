#!/bin/sh
# redis-server with one client, which sends commands in one stream. The time is that of both.
# shellcheck source-path=SCRIPTDIR
. "${0%/*}/common.sh"

socket=$scratch/socket
aside mkfifo "$scratch/log"
redis-server --port 0 --unixsocket "$socket" --save '' --dir "$scratch" --loglevel notice \
  --enable-debug-command yes >"$scratch/log" &
server=$!
trap 'kill "$server" 2>/dev/null || :; aside rm -rf "$scratch"' EXIT
# Stays open: the server goes on writing there.
exec 3<"$scratch/log"
ready=
while [ -z "$ready" ] && read -r line <&3; do
  case $line in *"eady to accept connections"*) ready=1 ;; esac
done
redis-cli -s "$socket" --pipe <"$input/commands" >"$scratch/replies"
case $(aside tail -n 1 "$scratch/replies") in
  "errors: 0, "*) ;;
  *) aside cat "$scratch/replies" >&2; exit 1 ;;
esac
{ redis-cli -s "$socket" DEBUG DIGEST; redis-cli -s "$socket" DBSIZE; } >"$printed"
redis-cli -s "$socket" SHUTDOWN NOSAVE
wait "$server"
check
