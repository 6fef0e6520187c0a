#!/usr/bin/env bash
# A folder of raw traces has files of the user, too, and `heapsmith pack` removes its own alone.
# report: none
# right: the user's files stay, also one with the ending .raw, and the trace is whole
# fails: not measured
# under: recorder
# skip_plain: only heapsmith has such a folder
# shellcheck shell=sh disable=SC2016
# The program kills the command, which leaves the raw files.
(exec "$HEAPSMITH" record -o cut.trace -- sh -c 'ls >listed; kill -9 $PPID') 2>killed
mkdir cut.trace.raw/x && echo p >cut.trace.raw/x/t || exit 1
echo picture >cut.trace.raw/1.0.raw
ln -s /etc/hostname cut.trace.raw/2.0.raw
"$HEAPSMITH" pack cut.trace.raw 2>told || { cat told; exit 1; }
"$HEAPSMITH" info cut.trace >shown || exit 1
if head -n 1 shown | grep -q incomplete; then cat shown; exit 1; fi
left=$(cd cut.trace.raw && echo *)
if [ "$left" != "1.0.raw 2.0.raw x" ]; then echo "left: $left"; exit 1; fi
[ "$(cat cut.trace.raw/x/t cut.trace.raw/1.0.raw)" = "$(printf 'p\npicture')" ] || exit 1
grep -q 'left out: cut.trace.raw/1.0.raw' told || { cat told; exit 1; }
# Neither does a recording replace folders of the user.
mkdir photos.raw photos.others && echo a >photos.raw/a && echo b >photos.others/b || exit 1
if "$HEAPSMITH" record -f -o photos -- ls >listed 2>told; then echo "replaced"; exit 1; fi
[ "$(cat photos.raw/a photos.others/b)" = "$(printf 'a\nb')" ] || exit 1
rm -r photos.raw
"$HEAPSMITH" record -f -o photos -- sh -c 'ls; ls' >listed 2>told || { cat told; exit 1; }
[ "$(cat photos.others/b)" = b ] || exit 1
echo ok
