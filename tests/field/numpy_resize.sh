# numpy asks for huge pages behind an array above 4 MiB, and then it grows.
# report: numpy/numpy#11957, numpy/numpy#27808
# right: a.resize() works and keeps the contents, as under glibc
# fails: nobody else; jemalloc 5.3.0, mimalloc 2.0.9 and gperftools 2.10 pass
# under: preload
# shellcheck shell=bash
set -euo pipefail
python3 -c 'import numpy' 2>/dev/null || exit 77
LD_PRELOAD=$PRELOAD python3 - <<'EOF'
import numpy
a = numpy.ones(6 << 20)
a.resize(12 << 20, refcheck=False)
assert a[: 6 << 20].all() and not a[6 << 20 :].any()
for n in (1, 2, 5, 9, 17, 33):
    a.resize(n << 20, refcheck=False)
assert a[0] == 1
b = numpy.zeros((1500, 3000)) + 1
b.resize((3000, 3000), refcheck=False)
assert b.sum() == 1500 * 3000
print("ok")
EOF
