#!/usr/bin/env bash
# Reads the installed man pages and completions. Every verb of the command has a page that man
# formats without a warning, and every shell completes the verbs. Argument: the installed prefix.
set -euo pipefail
share=$1/share command=$1/bin/heapsmith
[[ -x $command ]] || { echo "skipped: the command has not been built"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
mapfile -t verbs < <("$command" --help |
  sed -n '/^Commands:/,/^Options:/s/^  \([a-z]\+\) .*/\1/p' | grep -vx help)
((${#verbs[@]} >= 10)) || fail "found only these verbs: ${verbs[*]}"

pages=0
for name in heapsmith "${verbs[@]/#/heapsmith-}" heapsmith-peers-install; do
  page=$(find "$share/man/man1" -name "$name.1" -o -name "$name.1.gz")
  [[ -n $page ]] || fail "$name has no page"
  pages=$((pages + 1))
  command -v man >/dev/null || continue
  LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" >"$scratch/text" 2>"$scratch/said"
  if [[ -s $scratch/said ]]; then cat "$scratch/said" && fail "warnings in $name"; fi
  grep -q "${name//-/[-‐]} - " <(tr -s ' ' <"$scratch/text") || fail "$name does not name itself"
done
found=$(find "$share/man/man1" -name 'heapsmith*' | wc -l)
((found == pages)) || fail "$found pages, but $pages verbs"
echo "ok: $pages man pages"

bash=$share/bash-completion/completions/heapsmith
completed=$(bash -c 'source "$1" && COMP_WORDS=(heapsmith "") COMP_CWORD=1 &&
  _heapsmith heapsmith "" heapsmith && echo "${COMPREPLY[*]}"' bash "$bash")
for verb in "${verbs[@]}"; do
  [[ " $completed " == *" $verb "* ]] || fail "bash does not complete $verb: $completed"
done
[[ " $completed " != *" bench "* ]] || fail "bash completes a hidden verb"
echo "ok: bash completes the verbs"
if command -v zsh >/dev/null; then
  zsh_file=$(find "$share/zsh" -name _heapsmith)
  zsh -f -c 'autoload -Uz compinit && compinit -D -u && source "$1" && (( $+functions[_heapsmith] ))' \
    zsh "$zsh_file" || fail "zsh cannot load its completion"
  echo "ok: zsh loads its completion"
fi
if command -v fish >/dev/null; then
  # shellcheck disable=SC2016 # fish expands it
  completed=$(HOME=$scratch fish --no-config -c 'source $argv[1]; complete -C "heapsmith "' \
    "$share/fish/vendor_completions.d/heapsmith.fish" | cut -f1)
  for verb in "${verbs[@]}"; do grep -qx "$verb" <<<"$completed" || fail "fish does not complete $verb"; done
  echo "ok: fish completes the verbs"
fi
