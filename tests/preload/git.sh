#!/usr/bin/env bash
# git makes a history of many files, repacks, checks and clones it. All objects must be the same.
# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/common.sh"

# tree VERSION: writes 300 files that share much of their text, so that git finds deltas.
tree() {
  gawk -v version="$1" 'BEGIN {
    for (file = 0; file < 300; file++) {
      path = sprintf("folder%d/file%d", file % 17, file)
      for (line = 0; line < 40 + file; line++)
        print (line * 31 + file) % 97, "line", line, line % 20 ? "" : "version " version > path
      close(path)
    }
  }'
}

job() {
  export GIT_CONFIG_NOSYSTEM=1 HOME=$PWD GIT_AUTHOR_DATE='@1700000000 +0000'
  export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
  export GIT_AUTHOR_NAME=author GIT_AUTHOR_EMAIL=author@localhost
  export GIT_COMMITTER_NAME=author GIT_COMMITTER_EMAIL=author@localhost
  local version
  git -c init.defaultBranch=main init -q repository
  cd repository
  for version in {0..16}; do mkdir -p "folder$version"; done
  for version in 1 2 3 4; do
    tree "$version"
    git add .
    git commit -q -m "version $version"
  done
  git checkout -q -b side HEAD~2
  git mv folder3 moved
  git commit -q -m "move a folder"
  git merge -q -m "merge" main
  git gc -q --aggressive --prune=now
  git fsck --full --strict
  git cat-file --batch-check --batch-all-objects | sort | sha256sum
  git log --stat --format=%H | sha256sum
  git grep -c 'version 4' side | sha256sum
  cd ..
  git clone -q "file://$PWD/repository" clone
  git -C clone fsck --full
  git -C clone rev-parse HEAD
  # Only the checkout is compared file by file: packs and the index contain times.
  rm -rf clone/.git repository
}

same_run git gawk sort sha256sum
pass "fsck clean, same objects and checkout"
