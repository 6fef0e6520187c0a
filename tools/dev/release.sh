# Makes a release, except for publishing it.
# help: [--dry-run] VERSION: test, packages, crates, source and checksums, into build/release-VERSION
# shellcheck shell=bash
source tools/dev/package.sh

# stated COMMAND FILE: the versions that a command of sed finds in the file, each with the file.
stated() { sed -n "$1" "$2" | sed "s|\$| $2|"; }

# versions: each line is a version and the file that states it.
versions() {
  local file json='s/^  "version": "\(.*\)",/\1/p' packaging=tools/packaging
  stated 's/^project(heapsmith VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt
  for file in lab/page/package.json docs/site/package.json $packaging/vcpkg/heapsmith/vcpkg.json; do
    stated "$json" "$file"
  done
  stated "s/^  version: '\(.*\)',/\1/p" $packaging/meson/packagefiles/heapsmith/meson.build
  stated 's/^directory = heapsmith-\(.*\)/\1/p' $packaging/meson/heapsmith.wrap
  for file in $(git ls-files '*Cargo.toml'); do
    stated '/^\[.*package\]/,/^$/s/^version = "\(.*\)"/\1/p' "$file"
  done
}

# release_faults VERSION: prints what keeps the commit from being this version.
release_faults() {
  if [[ -n $(git status --porcelain) ]]; then echo "files are not committed: git status"; fi
  # Peers in bench have version 0.0.0.
  versions | awk -v version="$1" '$1 != version && $1 != "0.0.0" { print $2 " states version " $1 }'
  awk '/^## / { unreleased = /^## Unreleased$/ } unreleased && /^- / { found = 1 }
    END { if (!found) print "CHANGELOG.md has no entry under Unreleased" }' CHANGELOG.md
  if grep -q "^## $1 " CHANGELOG.md; then echo "CHANGELOG.md has version $1 already"; fi
  awk -v text="${1%.*} has not been released" 'index($0, text) {
    print FILENAME ":" FNR ": says that this version has not been released" }' README.md CHANGELOG.md
}

# release_commit VERSION: makes a commit after HEAD whose change log has the version, and prints its
# name. No branch moves.
release_commit() {
  local index=build/release.index blob tree date
  date=$(git log -1 --format=%cI) || return
  blob=$(sed "s/^## Unreleased\$/&\n\n## $1 - ${date%%T*}/" CHANGELOG.md |
    git hash-object -w --stdin) || return
  rm -f "$index"
  tree=$(export GIT_INDEX_FILE=$PWD/$index && git read-tree HEAD &&
    git update-index --cacheinfo "100644,$blob,CHANGELOG.md" && git write-tree) || return
  GIT_COMMITTER_DATE=$date GIT_AUTHOR_DATE=$date git commit-tree -p HEAD -m "release: $1" "$tree"
}

# release_source VERSION COMMIT FOLDER: the archive of the source.
release_source() {
  git archive --prefix="heapsmith-$1/" "$2" | gzip -9n >"$3/heapsmith-$1.tar.gz"
}

# release_crates FOLDER: the crates, as cargo publishes them.
release_crates() {
  rm -rf "$CARGO_TARGET_DIR/package"
  polite cargo package --quiet --locked --package heapsmith-derive --package heapsmith-sys \
    --package heapsmith && cp "$CARGO_TARGET_DIR"/package/*.crate "$1"
}

verb_release() {
  local dry='' version faults folder commit
  if [[ ${1:-} == --dry-run ]]; then dry=1 && shift; fi
  version=${1:-}
  if [[ ! $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ || $# != 1 ]]; then
    die 2 "usage: ./dev release [--dry-run] VERSION, such as 0.2.0"
  fi
  setup package
  faults=$(release_faults "$version")
  if [[ -n $faults ]]; then
    echo "$faults" >&2
    die 1 "not version $version: mend the above"
  fi
  folder=build/release-$version
  rm -rf "$folder" && mkdir -p "$folder"
  if [[ -z $dry ]]; then ./dev test --whole || die 1 "the tests failed"; fi
  commit=$(release_commit "$version") || die 1 "no commit was made"
  if [[ -z $dry ]]; then
    git merge --quiet --ff-only "$commit" || die 1 "the branch has moved"
    { build_page && build_command && make_packages &&
      tests/consume/debian.sh "$package_folder" .; } || die 1 "the packages failed"
    cp "$package_folder"/*.deb "$folder"
    release_crates "$folder" || die 1 "the crates failed"
  fi
  release_source "$version" "$commit" "$folder" || die 1 "the archive failed"
  (cd "$folder" && sha256sum -- *.* >SHA256SUMS)
  ls -1 "$folder" >&2
  if [[ -n $dry ]]; then
    say "dry run: no test was run, no branch has moved"
    return
  fi
  say "left to do"
  cat >&2 <<END
git tag -s v$version $commit && git push origin HEAD v$version
upload the files of $folder, with a signature of SHA256SUMS
cargo publish -p heapsmith-derive -p heapsmith-sys -p heapsmith
END
}
