//! Every public function has an example, or is the `try_` form of one that does.
#![cfg(not(miri))] // which would read all sources slowly

use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// The name of the public function whose definition starts on this line.
fn public_function(line: &str) -> Option<&str> {
    let mut words = line.trim_start().strip_prefix("pub ")?.split([' ', '(', '<']);
    words.find(|word| !["const", "unsafe"].contains(word)).filter(|&word| word == "fn")?;
    words.next()
}

/// The public functions of a source with and without examples in their documentation.
fn functions(source: &str) -> (HashSet<&str>, Vec<&str>) {
    let (mut with, mut without, mut has_example) = (HashSet::new(), Vec::new(), false);
    for line in source.lines() {
        if let Some(name) = public_function(line) {
            if has_example { _ = with.insert(name) } else { without.push(name) }
        }
        let is_about_the_next = line.trim_start().starts_with(['/', '#']);
        has_example = is_about_the_next && (has_example || line.contains("/// ```"));
    }
    (with, without)
}

fn check(folder: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            count += check(&path);
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let (with, without) = functions(&source);
        for name in without {
            let brother = name.strip_prefix("try_").filter(|other| with.contains(other));
            assert!(brother.is_some(), "{}: `{name}` has no example", path.display());
        }
        count += with.len();
    }
    count
}

#[test]
fn public_functions_have_examples() {
    assert!(check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) > 100);
}
