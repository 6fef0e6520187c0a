//! The pin file and how contenders are chosen from it.

use super::*;

fn two() -> Pinned {
    let text = r#"
        directories = ["/nowhere"]
        [[contender]]
        name = "as-built"
        about = "as it is"
        [[contender]]
        name = "missing"
        about = "not here"
        package = "libmissing1"
        preload = ["libmissing.so.1"]
    "#;
    Pinned::parse(text).expect("a good file")
}

#[test]
fn the_shipped_file_names_the_seven_contenders() {
    let pinned = Pinned::load().expect("lab/contenders.toml is good");
    let expected = [
        "as-built",
        "glibc",
        "heapsmith",
        "jemalloc-debian",
        "mimalloc-debian",
        "gperftools",
        "tbbmalloc",
    ];
    assert_eq!(pinned.names(), expected);
}

#[test]
fn a_usual_contender_may_be_absent_and_says_how_to_get_it() {
    let (chosen, absent) = choose(&two(), &[], &["as-built", "missing"], &[]).expect("no error");
    assert_eq!(chosen.len(), 1);
    assert_eq!(absent, ["missing is not installed: apt install libmissing1"]);
}

#[test]
fn a_wanted_contender_must_be_here() {
    let error = choose(&two(), &["missing".into()], &[], &[]).expect_err("it is absent");
    assert_eq!(crate::error::exit_code(&error), crate::error::ENVIRONMENT);
}

#[test]
fn a_misspelt_name_is_a_usage_error_with_a_suggestion() {
    let error = choose(&two(), &["as-buit".into()], &[], &[]).expect_err("no such name");
    assert_eq!(crate::error::exit_code(&error), crate::error::USAGE);
    assert!(error.to_string().contains("did you mean 'as-built'"), "{error}");
}

#[test]
fn naming_one_twice_is_a_usage_error() {
    let twice = ["as-built".to_string(), "as-built".to_string()];
    assert!(choose(&two(), &twice, &[], &[]).is_err());
}

#[test]
fn bad_files_are_refused() {
    assert!(Pinned::parse("directories = []\ncontender = []\nsurprise = 1").is_err());
    let bare = "directories = []\n[[contender]]\nname = 'x'\nabout = 'y'";
    assert!(Pinned::parse(bare).is_err());
}

#[test]
fn paths_ld_so_would_split_are_refused() {
    assert!(require_preloadable_path(Path::new("/a b/lib.so")).is_err());
    assert!(require_preloadable_path(Path::new("/a:b/lib.so")).is_err());
    assert!(require_preloadable_path(Path::new("/ab/lib.so")).is_ok());
}
