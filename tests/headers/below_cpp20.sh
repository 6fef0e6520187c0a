#!/usr/bin/env bash
# Below C++20 each public C++ header says one line. below_cpp20.sh INCLUDE
set -euo pipefail
include=$1
checked=0
while read -r header; do
  for standard in c++11 c++17; do
    said=$(echo "#include \"$header\"" |
      "${CXX:-c++}" -std=$standard -I"$include" -x c++ -fsyntax-only - 2>&1 || true)
    if [[ $(grep -c 'error:' <<<"$said") != 1 || $said != *"heapsmith needs C++20"* ]]; then
      echo "FAILED: $header as $standard: $said" | head -n 20
      exit 1
    fi
  done
  checked=$((checked + 1))
done < <(cd "$include" && find heapsmith -name '*.hpp' -not -path '*/detail/*')
((checked > 30))
echo "$checked headers say one line"
