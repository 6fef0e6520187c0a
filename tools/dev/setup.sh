# Installs only the Debian packages that are missing.
# shellcheck shell=bash

# missing GROUPS…: lists the packages of tools/dev/packages.txt whose probe (a command or a file)
# does not exist. A line is: group, package, probe, purpose.
missing() {
  local group package probe why
  while read -r group package probe why; do
    [[ -z $group || $group == \#* || " base $* " != *" $group "* ]] && continue
    if [[ $probe == /* ]]; then [[ -e $probe ]] && continue
    else command -v "$probe" >/dev/null && continue; fi
    printf '%s\t%s\n' "$package" "$why"
  done <tools/dev/packages.txt
}

# apt_install PACKAGES…: installs the packages with apt-get, as root.
apt_install() {
  "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "$@"
}

# setup GROUPS…: installs the packages of base and of the groups if they are missing.
setup() {
  local list packages as_root=()
  list=$(missing "$@")
  if [[ -z $list ]]; then return; fi
  mapfile -t packages < <(cut -f1 <<<"$list" | sort -u)
  if ! command -v apt-get >/dev/null; then
    die 3 "apt-get not found; install the equivalent of these Debian 12 packages: ${packages[*]}"
  fi
  say "Debian packages to install"
  awk -F'\t' '{ printf "%-24s %s\n", $1, $2 }' <<<"$list" >&2
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die 3 "no sudo; run as root: apt-get install ${packages[*]}"
    as_root=(sudo)
    if [[ -z $assume_yes ]]; then
      [[ -t 0 ]] || die 3 "not installed: no terminal to ask at (--yes answers yes)"
      read -rp "Install them with sudo apt-get? [y/N] " reply
      [[ $reply == [yY]* ]] || die 3 "nothing was installed"
    fi
  fi
  mkdir -p build
  if ! apt_install "${packages[@]}" >build/setup.log 2>&1; then
    tail -n 20 build/setup.log >&2
    die 3 "apt-get failed; see build/setup.log"
  fi
  # The tests start their own server. Debian's package would leave another one running.
  if [[ " ${packages[*]} " == *" redis-server "* && -d /run/systemd/system ]]; then
    "${as_root[@]}" systemctl disable --quiet --now redis-server
  fi
  hash -r
  list=$(missing "$@" | cut -f1 | sort -u | tr '\n' ' ')
  if [[ -n $list ]]; then die 3 "still missing after the installation: $list"; fi
}
