# Measures the suites whose results are published, and writes the pages of their rows.
# help: [pages | [--quick] [--again] [SUITE…]]: measure the published suites, write docs/results and README's figures
# shellcheck shell=bash
source tools/dev/bench.sh

# The suites with a page in docs/results, in the order in which they are measured; settings are in
# docs/tuning.md, and are always measured whole.
published=(heap scale arena scope pool_resource allocator pools containers region rust examples settings)
# The contenders of heap and scale: README compares with the newest versions.
newest_allocators=glibc,heapsmith,jemalloc,mimalloc3,snmalloc,tcmalloc,rpmalloc

# Where rows lie while they are measured, so that a verb that was interrupted goes on there. Those of
# --quick have another place, so that they never replace rows of whole runs.
measured=build/results/rows

# measure SUITE ARGUMENTS…: keeps what is measured. A suite of whole processes resumes after any row,
# another one starts again. The runner's exit code says whether targets are met, too, so the file
# decides.
measure() {
  local suite=$1 rows=$measured/$1.jsonl begin=$SECONDS
  shift
  if [[ $suite == heap || $suite == scale ]]; then
    (verb_bench "$suite" --alloc "$newest_allocators" --resume "$rows" "$@") || true
  elif [[ -e $rows ]]; then
    say "$suite: measured before; --again measures it again"
  elif [[ $suite == settings ]]; then
    (verb_bench settings) || die 1 "settings: a run failed"
    cat build/results/settings/*.json >"$rows"
  else
    (verb_bench "$suite" --json "$rows.part" "$@") || true
    if [[ -e $rows.part ]]; then mv "$rows.part" "$rows"; fi
  fi
  [[ -s $rows ]] || die 1 "$suite: no rows"
  tools/write_results --keep "$rows" >&2 || die 1 "$suite: the pages were not written"
  say "$suite: $(((SECONDS - begin + 30) / 60)) minutes"
}

verb_results() {
  local word suite again='' suites=() arguments=()
  for word in "$@"; do
    case $word in
      --again) again=yes ;;
      --quick) arguments+=("$word") measured=build/results/rows-quick ;;
      pages) exec tools/write_results ;;
      -*) die 2 "unknown option \"$word\"" ;;
      *)
        [[ " ${published[*]} " == *" $word "* ]] ||
          die 2 "\"$word\" has no results; expected one of: ${published[*]}"
        suites+=("$word")
        ;;
    esac
  done
  if ((${#suites[@]} == 0)); then suites=("${published[@]}"); fi
  setup lab
  { build_page && build_command && build_preset release src/all; } >&2 || die 1 "the build failed"
  build/release/heapsmith peers install >&2 || die 1 "a peer could not be built"
  mkdir -p "$measured"
  for suite in "${suites[@]}"; do
    if [[ -n $again ]]; then rm -f "$measured/$suite.jsonl"; fi
    measure "$suite" ${arguments[@]+"${arguments[@]}"}
  done
  tools/write_results
}
