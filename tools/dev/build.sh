# Builds the report page, the command and the libraries.
# help: the page, the command and the libraries, into build/release/
# shellcheck shell=bash

install_page_modules() {
  if [[ ! -d lab/page/node_modules ]]; then rm -f build/stamps/page-modules; fi
  unless_done page-modules "$(digest lab/page/package.json lab/page/package-lock.json)" \
    npm --prefix lab/page ci --no-audit --no-fund --loglevel=error
}

install_site_modules() {
  if [[ ! -d docs/site/node_modules ]]; then rm -f build/stamps/site-modules; fi
  unless_done site-modules "$(digest docs/site/package.json docs/site/package-lock.json)" \
    npm --prefix docs/site ci --no-audit --no-fund --loglevel=error
}

# build_page: builds lab/page/dist/report.html if its sources have changed.
build_page() {
  install_page_modules || return
  if [[ ! -f lab/page/dist/report.html ]]; then rm -f build/stamps/page; fi
  unless_done page "$(digest lab/page)" npm --prefix lab/page run --silent build
}

# Cargo's profile of the programs in build/release.
program_profile=release

# build_crate PACKAGE PROGRAM: builds build/release/PROGRAM.
build_crate() {
  local built=build/cargo/$program_profile/$2 placed=build/release/$2
  polite cargo build --profile "$program_profile" --locked --quiet --package "$1" || return
  mkdir -p build/release
  # Copy under another name first, since the program may be running.
  cmp -s "$built" "$placed" || { cp "$built" "$placed.new" && mv "$placed.new" "$placed"; }
}

# build_command: builds build/release/heapsmith, its man pages and the completions of shells.
build_command() {
  build_crate heapsmith-cli heapsmith && build/release/heapsmith manual build/release/share
}

is_configured() { [[ build/$1/build.ninja -nt CMakePresets.json ]]; }

# configure PRESET OPTIONS…: options of CMake, which forgets a folder that is older than the presets:
# its compiler may be another one.
configure() {
  local fresh=()
  is_configured "$1" || fresh=(--fresh)
  cmake --preset "$1" "${fresh[@]}" "${@:2}" --log-level=WARNING >&2
}

# build_preset PRESET TARGETS…: builds the targets, by default all, in build/PRESET/.
build_preset() {
  if ! is_configured "$1"; then configure "$1" || return; fi
  polite ninja -C "build/$1" -j "$(jobs)" --quiet "${@:2}"
}

build_everything() {
  say "the report page" && build_page || return
  say "the command" && build_command || return
  say "the libraries" && build_preset release src/all lab-build/all
}

verb_build() {
  setup
  build_everything || die 1 "the build failed"
  ls -1 build/release/{libheapsmith{.so,.a,_preload.so,_override.a},heapsmith} >&2
}
