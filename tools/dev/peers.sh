# Builds the newest allocators from packages of Rust crates, and runs real programs under each.
# help: builds the newest jemalloc, mimalloc, tcmalloc, snmalloc, rpmalloc; runs programs under each
# shellcheck shell=bash
source tools/dev/build.sh
source tools/dev/parts.sh

built=jemalloc,mimalloc3,mimalloc2,tcmalloc,snmalloc,rpmalloc

# runs PROGRAM…: the program ends well under every one of them.
runs() {
  build/release/heapsmith try --rounds 6 --alloc "$built" --report build/results/peers.html \
    --input /dev/null -- "$@"
}

sum_in_threads='
import json, threading
lengths = []
def work():
    words = [str(n) * 3 for n in range(20_000)]
    lengths.append(len(json.dumps(words)))
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(lengths) == 8'

verb_peers() {
  setup lab
  build_everything || die 1 "the build failed"
  open_results
  part "build" counted_as_one build/release/heapsmith peers install "$@"
  part "threads" counted_as_one runs env PYTHONMALLOC=malloc /usr/bin/python3 -c "$sum_in_threads"
  part "compiler" counted_as_one runs g++ -O1 -fsyntax-only -x c++ -include map -include regex /dev/null
  part "child processes" counted_as_one runs sh -c 'sort LICENSE | uniq -c | sort -n'
  close_results
}
