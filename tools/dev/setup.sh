# Installs the Debian packages that are missing, and only those.
# shellcheck shell=bash

# missing GROUPS…: the packages of tools/dev/packages.txt whose probe (a command or a file) is not
# there. A line reads: group, package, probe, why.
missing() {
  local group package probe why
  while read -r group package probe why; do
    [[ -z $group || $group == \#* || " base $* " != *" $group "* ]] && continue
    if [[ $probe == /* ]]; then [[ -e $probe ]] && continue
    else command -v "$probe" >/dev/null && continue; fi
    printf '%s\t%s\n' "$package" "$why"
  done <tools/dev/packages.txt
}

# setup GROUPS…: makes sure that the packages of base and of the groups are installed.
setup() {
  local list packages as_root=()
  list=$(missing "$@")
  if [[ -z $list ]]; then return; fi
  mapfile -t packages < <(cut -f1 <<<"$list" | sort -u)
  if ! command -v apt-get >/dev/null; then
    die 3 "install what Debian 12 calls: ${packages[*]}"
  fi
  say "to be installed from the Debian archive"
  column -t -s $'\t' <<<"$list" >&2
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die 3 "as root: apt-get install ${packages[*]}"
    as_root=(sudo)
    if [[ -z $assume_yes ]]; then
      [[ -t 0 ]] || die 3 "not installed: nobody to ask (--yes answers yes)"
      read -rp "Install them with sudo apt-get? [y/N] " reply
      [[ $reply == [yY]* ]] || die 3 "nothing was installed"
    fi
  fi
  "${as_root[@]}" apt-get update -qq >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${packages[@]}" >&2
  hash -r
  list=$(missing "$@" | cut -f1 | sort -u | tr '\n' ' ')
  if [[ -n $list ]]; then die 3 "still missing after the installation: $list"; fi
}
