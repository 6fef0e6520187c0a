# Makes the Debian packages.
# help: Debian packages, into build/packages/
# shellcheck shell=bash
source tools/dev/build.sh

package_folder=build/packages

# The tree of the packages: as build/release, for the prefix /usr.
configure_packages() {
  cmake -S . -B "$package_folder/tree" -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_INSTALL_PREFIX=/usr -DHEAPSMITH_LAB=ON -DHEAPSMITH_WERROR=ON >&2
}

# finish PACKAGE: packs the package again, with the trigger of ldconfig in place of CPack's scripts,
# and with the time of the commit as that of its files.
finish() {
  local tree=$package_folder/unpacked
  rm -rf "$tree" && dpkg-deb -R "$1" "$tree" || return
  if [[ -f $tree/DEBIAN/postinst ]]; then
    rm "$tree/DEBIAN/postinst" "$tree/DEBIAN/postrm"
    echo "activate-noawait ldconfig" >"$tree/DEBIAN/triggers"
  fi
  dpkg-deb --root-owner-group -b "$tree" "$1" >&2 && rm -rf "$tree"
}

# make_packages: makes the packages of the command in build/release and of the libraries.
make_packages() {
  local tree=$package_folder/tree
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) || return
  export SOURCE_DATE_EPOCH
  [[ -f $tree/build.ninja ]] || configure_packages || return
  polite ninja -C "$tree" -j "$(jobs)" --quiet src/all heapsmith_lab_launcher heapsmith_lab_probe \
    heapsmith_lab_replayer heapsmith_recorder || return
  rm -rf "$tree/share" "$package_folder"/*.deb
  cp build/release/heapsmith "$tree/heapsmith" && "$tree/heapsmith" manual "$tree/share" || return
  (cd "$tree" && umask 022 && cpack -B "$OLDPWD/$package_folder" >cpack.log) || {
    cat "$tree/cpack.log" >&2
    return 1
  }
  rm -rf "$package_folder/_CPack_Packages"
  local package
  for package in "$package_folder"/*.deb; do finish "$package" || return; done
}

verb_package() {
  setup package
  { build_page && build_command && make_packages; } || die 1 "the packages failed"
  ls -1 "$package_folder"/*.deb
}
