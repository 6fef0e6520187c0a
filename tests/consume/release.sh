#!/usr/bin/env bash
# Dry runs of ./dev release in a copy of the repository: it refuses faulty releases, and makes
# the archive of the source. Argument: the source tree.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/copy"
(cd "$1" && git ls-files -co --exclude-standard -z | xargs -0 tar -c) | tar -x -C "$scratch/copy"
cd "$scratch/copy"
git() { command git -c user.name=tester -c user.email=tester@localhost "$@"; }
export GIT_AUTHOR_NAME=tester GIT_AUTHOR_EMAIL=tester@localhost
export GIT_COMMITTER_NAME=tester GIT_COMMITTER_EMAIL=tester@localhost
git init --quiet && git add -A && git commit --quiet -m copy
version=$(sed -n 's/^project(heapsmith VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

# refuses VERSION TEXT: the dry run fails and says the text.
refuses() {
  if ./dev release --dry-run "$1" >"$scratch/said" 2>&1; then cat "$scratch/said" && echo "FAILED: $1 accepted" && exit 1; fi
  grep -qF -- "$2" "$scratch/said" || { cat "$scratch/said" && echo "FAILED: it does not say: $2" && exit 1; }
}
refuses 99.0.0 "CMakeLists.txt states version $version"
refuses 99.0.0 "rust/heapsmith/Cargo.toml states version $version"
refuses 99.0.0 "tools/packaging/meson/heapsmith.wrap states version $version"
refuses 99.0.0 "tools/packaging/meson/packagefiles/heapsmith/meson.build states version $version"
refuses 99.0.0 "tools/packaging/vcpkg/heapsmith/vcpkg.json states version $version"
refuses 1.0 "usage: "
sed -i 's/ has not been released/ is described here/' README.md CHANGELOG.md
refuses "$version" "files are not committed"
echo "0.1: ${version%.*} has not been released" >>README.md
git commit --quiet -am words
refuses "$version" "says that this version has not been released"
sed -i '$d' README.md && git commit --quiet -am released
sed -i '/^- /d' CHANGELOG.md
refuses "$version" "CHANGELOG.md has no entry under Unreleased"
git checkout --quiet CHANGELOG.md
before=$(git rev-parse HEAD)
./dev release --dry-run "$version" >/dev/null 2>"$scratch/said" || { cat "$scratch/said" && exit 1; }

[[ $(git rev-parse HEAD) == "$before" && -z $(git status --porcelain) ]]
(cd "build/release-$version" && sha256sum --quiet -c SHA256SUMS)
tar -xzf "build/release-$version/heapsmith-$version.tar.gz" -C "$scratch"
cd "$scratch/heapsmith-$version"
grep -A2 '^## Unreleased$' CHANGELOG.md | grep -qE "^## $version - [0-9]{4}(-[0-9]{2}){2}$"
diff -r --no-dereference -x CHANGELOG.md -x .git -x build . ../copy
echo "ok: ./dev release refuses faulty releases, and archives the source"
