#!/usr/bin/env bash
# A C++ extension module of Python catches bad_alloc: the C++ runtime comes after the interpreter.
# report: gperftools/gperftools#64
# right: the module catches the exception, and Python goes on
# fails: not measured
set -euo pipefail
if [[ ! -f /usr/include/pybind11/pybind11.h || ! -f /usr/include/python3.11/Python.h ]]; then
  echo "no pybind11-dev or python3-dev"
  exit 77
fi

cat >asks.cpp <<'PROGRAM'
#include <pybind11/pybind11.h>

#include <cstddef>
#include <new>

static bool refuses(std::size_t bytes) {
  try {
    char* volatile block = new char[bytes];  // volatile: compilers leave out what nobody reads
    delete[] block;
    return false;
  } catch (const std::bad_alloc&) {
    return true;
  }
}

static void passes_on(std::size_t bytes) {
  char* volatile block = new char[bytes];  // Python sees the exception as MemoryError
  delete[] block;
}

PYBIND11_MODULE(asks, m) {
  m.def("refuses", refuses);
  m.def("passes_on", passes_on);
}
PROGRAM
"$CXX" -std=c++17 -O1 -fno-builtin -shared -fPIC -I/usr/include/python3.11 asks.cpp -o asks.so

cat >ask.py <<'PROGRAM'
import asks

assert asks.refuses(1 << 62) and not asks.refuses(1 << 20)
try:
    asks.passes_on(1 << 62)
    raise SystemExit("no MemoryError")
except MemoryError:
    print("ok")
PROGRAM

catches() { [[ $("$@" /usr/bin/python3 ask.py) == ok ]]; }
catches env || { echo "fails without heapsmith"; exit 1; }
catches env LD_PRELOAD="$PRELOAD"
if [[ -x $HEAPSMITH ]]; then catches "$HEAPSMITH" record -o asks.trace --; fi
