# Builds the documentation as pages that work offline.
# help: the documentation as offline pages with a search, into build/docs/
# shellcheck shell=bash
source tools/dev/check.sh

# build_cpp_reference: a warning of Doxygen is an error.
build_cpp_reference() {
  { cat docs/site/Doxyfile && echo "OUTPUT_DIRECTORY = build/docs"; } | doxygen - >&2
}

# Cargo's folder may have the pages of other crates, so only ours are copied.
build_rust_reference() {
  local from=$CARGO_TARGET_DIR/doc to=build/docs/rustdoc
  check_rust_docs >&2 && mkdir -p "$to" || return
  cp -r "$from"/{static.files,src,heapsmith,heapsmith_sys,heapsmith_derive} "$from"/*.{html,js} "$to"
}

# build_result_pages: the command draws the rows of docs/results.
build_result_pages() {
  build_page >&2 && build_command >&2 && tools/write_results --interactive build/docs/interactive
}

# build_site: the pages, then the references that they link to.
build_site() {
  install_site_modules || return
  rm -rf build/docs && mkdir -p build/docs
  build_cpp_reference && build_rust_reference && build_result_pages &&
    node docs/site/build.mjs . build/docs 'All names=names.html' 'C++ reference=cpp/index.html' \
      'Rust reference=rustdoc/heapsmith/index.html' \
      'Interactive results=interactive/index.html' >&2
}

verb_docs() {
  setup docs
  build_site || die 1 "the build of the documentation failed"
  echo "build/docs/index.html" >&2
}
