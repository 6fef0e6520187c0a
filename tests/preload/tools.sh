#!/usr/bin/env bash
# Small tools of a system, in pipelines and threads: sort, xz, gawk, tar, find, openssl.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

job() {
  gawk 'BEGIN { for (i = 0; i < 300000; i++) print (i * 7919) % 300007, i % 113, "row" i }' >rows
  sort --parallel=4 --buffer-size=4M -k2,2n -k1,1nr rows >sorted
  xz -T2 --block-size=1MiB -3 -k sorted
  xz -T2 -dc sorted.xz | cmp - sorted
  gawk '{ count[$2] += $1; last[$2] = last[$2] substr($3, 1, 5) }
        END { n = asorti(count, keys); for (i = 1; i <= n; i++)
              print keys[i], count[keys[i]], length(last[keys[i]]) }' sorted
  grep -cP '^(\d)\d*\1 ' sorted
  sed -E 's/([0-9]+) ([0-9]+)/\2-\1/' sorted | uniq -c -w 3 | tail -n 3
  mkdir tree && split -l 5000 rows tree/part.
  # shellcheck disable=SC2012 # the test runs ls on purpose
  ls -lR --time-style=+ tree | sha256sum
  find tree -type f -name '*.a?' | sort | tar -cf tree.tar --mtime=@0 --owner=0 --group=0 -T -
  gzip -n -9 <tree.tar | openssl dgst -sha3-256
  openssl enc -aes-128-cbc -K 00 -iv 00 -in tree.tar 2>/dev/null | sha512sum
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key
  openssl dgst -sha256 -sign key -out signature rows
  openssl dgst -sha256 -prverify key -signature signature rows
  { diff <(head -n 20000 rows) <(head -n 20000 sorted) || test $? == 1; } | sha256sum
  rm key signature tree.tar
}

same_run gawk sort xz grep sed ls find tar gzip openssl diff
pass "$(wc -l <"$scratch/preload/stdout") lines and all files identical"
