#!/usr/bin/env bash
# numpy asks for huge pages in each array above 4 MiB; such an array grows in place and by copying.
# report: numpy/numpy#11957, numpy/numpy#27808
# right: the array grows and keeps its values, as under glibc
# fails: heapsmith before; jemalloc 5.3.0, mimalloc 2.0.9 and gperftools 2.10 pass
set -euo pipefail
if [[ ! -d /usr/lib/python3/dist-packages/numpy ]]; then echo "no python3-numpy"; exit 77; fi

cat >resize.py <<'PROGRAM'
import numpy

for megabytes in (5, 33, 70, 200):
    count = megabytes << 17
    array = numpy.arange(count, dtype=numpy.int64)
    for factor in (2, 3, 1):
        array.resize(factor * count, refcheck=False)
        assert (array[:count] == numpy.arange(count)).all(), f"{megabytes} MiB: lost values"
        assert not array[count:].any(), f"{megabytes} MiB: new values are not 0"
print("ok")
PROGRAM

grows() { [[ $("$@" /usr/bin/python3 resize.py) == ok ]]; }
grows env || { echo "fails without heapsmith"; exit 1; }
grows env LD_PRELOAD="$PRELOAD"
if [[ -x $HEAPSMITH ]]; then grows "$HEAPSMITH" record -o numpy.trace --; fi
