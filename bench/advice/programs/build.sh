# Builds the real programs of `./dev bench advice --programs`, as Debian has them and as advised, in
# build/advised.
# shellcheck shell=bash

# get_source PACKAGE: unpacks Debian's source package in build/advised/PACKAGE.
# The places are those of this machine's binary packages.
get_source() {
  local lists=$PWD/build/advised/lists options
  if [[ -d build/advised/$1 ]]; then return; fi
  mkdir -p "$lists/partial" build/advised/packages
  # shellcheck disable=SC2016 # apt-get expands them
  apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' |
    sed 's,^deb-src,& [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg],' | sort -u \
    >build/advised/sources.list
  options=(-qq -o "Dir::Etc::sourcelist=$PWD/build/advised/sources.list"
    -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$lists" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update &&
    (cd build/advised/packages && apt-get "${options[@]}" --download-only source "$1") &&
    dpkg-source --no-check -x build/advised/packages/"$1"_*.dsc "build/advised/$1" >/dev/null
}

# get_advised PACKAGE: the same with docs/advised/PACKAGE.patch, in build/advised/PACKAGE-advised.
get_advised() {
  get_source "$1" || return
  rm -rf "build/advised/$1-advised"
  cp -r "build/advised/$1" "build/advised/$1-advised" &&
    patch --quiet --strip 1 --directory "build/advised/$1-advised" <"docs/advised/$1.patch"
}

family() { g++ -std=c++20 -O2 -Iinclude -c "$1" -o "$2"; }

build_cjson() {
  local at=build/advised
  get_advised cjson && family $at/cjson-advised/json_arena.cpp $at/json_arena.o || return
  gcc -O2 -g -I$at/cjson bench/advice/programs/json.c $at/cjson/cJSON.c -o $at/json -lm &&
    gcc -O2 -g -I$at/cjson-advised bench/advice/programs/json.c $at/cjson-advised/cJSON.c \
      $at/json_arena.o -o $at/json-advised -lm -lstdc++ &&
    perl bench/advice/programs/documents.pl json >$at/users.json
}

# build_xmllint SOURCE LIBRARIES: builds SOURCE-build/xmllint.
build_xmllint() {
  cmake -S "$1" -B "$1-build" --log-level=ERROR -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DBUILD_SHARED_LIBS=OFF -DLIBXML2_WITH_{PYTHON,LZMA,ZLIB,TESTS}=OFF \
    -DCMAKE_C_STANDARD_LIBRARIES="$2" >"$1.log" 2>&1 &&
    cmake --build "$1-build" --target xmllint --parallel "$(jobs)" >>"$1.log" 2>&1
}

build_libxml2() {
  local at=build/advised
  get_advised libxml2 && family $at/libxml2-advised/xml_nodes.cpp $at/xml_nodes.o || return
  build_xmllint $at/libxml2 "" && build_xmllint $at/libxml2-advised "$PWD/$at/xml_nodes.o -lstdc++" &&
    perl bench/advice/programs/documents.pl xml >$at/users.xml
}

build_lua() {
  local at=build/advised sources
  get_source lua5.4 || return
  mapfile -t sources < <(find $at/lua5.4/src -name '*.c' -not -name luac.c)
  # Debian's build writes this header.
  echo '#define DEB_HOST_MULTIARCH "none"' >$at/lua5.4/src/lua5.4-deb-multiarch.h
  gcc -O2 -g -DLUA_USE_LINUX "${sources[@]}" -o $at/lua -lm -ldl -Wl,-E
}

build_programs() { build_cjson && build_libxml2 && build_lua; }
