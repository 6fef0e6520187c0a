//! The pin file and how contenders are chosen from it.

use super::*;

/// A baseline, and a family of one packaged and two built allocators.
fn family(built: Option<&Path>) -> Pinned {
    let source = |name: &str| {
        format!(
            r#"
            [[contender]]
            name = "{name}"
            family = "bar"
            about = "built"
            pinned = "1.0"
            preload = ["libbar.so"]
            [contender.source]
            crate = "bar-sys"
            version = "0.1.0"
            sha256 = "00"
            folder = "."
            build.compile = {{ language = "c", units = {{ "." = ["bar.c"] }}, flags = [] }}
            "#
        )
    };
    let text = format!(
        r#"
        directories = ["/nowhere"]
        [[contender]]
        name = "as-built"
        about = "as it is"
        {}{}
        [[contender]]
        name = "bar-debian"
        family = "bar"
        about = "not here"
        package = "libbar1"
        preload = ["libbar.so.1"]
        "#,
        source("bar3"),
        source("bar2")
    );
    let pinned = Pinned::parse(&text).expect("a good file");
    Pinned { built: built.map(Path::to_path_buf), ..pinned }
}

/// Pretends that `name` was built.
fn put(pinned: &Pinned, name: &str) {
    let folder = pinned.named(name).expect("it is in the file").folder_name();
    let folder = pinned.built.as_ref().expect("a cache").join(folder);
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("libbar.so"), "").expect("a file");
}

fn names(pinned: &Pinned, specs: &[&str]) -> Vec<String> {
    let specs: Vec<_> = specs.iter().map(ToString::to_string).collect();
    let (chosen, _) = choose(pinned, &specs, AS_BUILT, &[]).expect("good");
    chosen.iter().map(|installed| installed.name().to_string()).collect()
}

fn refused(pinned: &Pinned, specs: &[&str]) -> anyhow::Error {
    let specs: Vec<_> = specs.iter().map(ToString::to_string).collect();
    choose(pinned, &specs, AS_BUILT, &[]).expect_err("it is wrong")
}

#[test]
fn the_shipped_file_names_the_contenders() {
    let pinned = Pinned::load().expect("lab/contenders.toml is good");
    let names = pinned.names();
    assert_eq!(names[..3], [AS_BUILT, GLIBC, HEAPSMITH]);
    for name in ["jemalloc-debian", "mimalloc-debian", "gperftools", "tbbmalloc"] {
        assert!(names.contains(&name), "{name}");
    }
    let built: Vec<&str> = pinned.buildable().map(|(one, _)| one.name.as_str()).collect();
    assert_eq!(built, ["jemalloc", "mimalloc3", "mimalloc2", "tcmalloc", "snmalloc", "rpmalloc"]);
}

#[test]
fn a_usual_contender_may_be_absent_and_says_how_to_get_it() {
    let (chosen, absent) = choose(&family(None), &[], AS_BUILT, &[]).expect("no error");
    assert_eq!(chosen.len(), 1);
    let expected = [
        "bar-debian is not installed: apt install libbar1",
        "bar3, bar2: heapsmith peers install builds them",
    ];
    assert_eq!(absent, expected);
}

#[test]
fn the_baseline_must_be_here() {
    let error = choose(&family(None), &[], "bar-debian", &[]).expect_err("it is absent");
    assert_eq!(crate::error::exit_code(&error), crate::error::ENVIRONMENT);
}

#[test]
fn a_wanted_contender_must_be_here() {
    let error = refused(&family(None), &["bar-debian"]);
    assert_eq!(crate::error::exit_code(&error), crate::error::ENVIRONMENT);
}

#[test]
fn a_short_name_is_the_newest_that_is_installed() {
    let cache = tempfile::tempdir().expect("a folder");
    let pinned = family(Some(cache.path()));
    put(&pinned, "bar2");
    assert_eq!(names(&pinned, &["bar"]), [AS_BUILT, "bar2"]);
    put(&pinned, "bar3");
    assert_eq!(names(&pinned, &["bar"]), [AS_BUILT, "bar3"]);
    assert_eq!(names(&pinned, &["bar2,bar"]), [AS_BUILT, "bar2", "bar3"]);
    assert_eq!(names(&pinned, &[]), [AS_BUILT, "bar3"]);
}

#[test]
fn an_absent_family_says_every_way_to_get_it() {
    let error = refused(&family(None), &["bar"]).to_string();
    assert!(error.contains("heapsmith peers install bar3"), "{error}");
    assert!(error.contains("apt install libbar1"), "{error}");
}

#[test]
fn the_baseline_takes_part_once() {
    let cache = tempfile::tempdir().expect("a folder");
    let pinned = family(Some(cache.path()));
    put(&pinned, "bar3");
    assert_eq!(names(&pinned, &["bar3,as-built"]), ["bar3", AS_BUILT]);
    assert_eq!(names(&pinned, &["tuned=as-built;A=1"]), [AS_BUILT, "tuned"]);
}

#[test]
fn a_misspelt_name_is_a_usage_error_with_a_suggestion() {
    let error = refused(&family(None), &["as-buit"]);
    assert_eq!(crate::error::exit_code(&error), crate::error::USAGE);
    assert!(error.to_string().contains("did you mean 'as-built'"), "{error}");
}

#[test]
fn naming_one_twice_is_a_usage_error() {
    let cache = tempfile::tempdir().expect("a folder");
    let pinned = family(Some(cache.path()));
    put(&pinned, "bar3");
    let twice = |specs: &[&str]| refused(&pinned, specs).to_string();
    assert_eq!(twice(&["as-built,as-built"]), "--alloc names 'as-built' twice");
    assert_eq!(twice(&["as-built", "as-built"]), "--alloc names 'as-built' twice");
    assert_eq!(twice(&["bar,bar3"]), "--alloc names 'bar3' twice: 'bar' is bar3 here");
    assert!(twice(&["x=bar", "x=bar;A=1"]).contains("two different allocators 'x'"));
}

#[test]
fn one_library_may_take_part_with_several_settings() {
    let cache = tempfile::tempdir().expect("a folder");
    let pinned = family(Some(cache.path()));
    put(&pinned, "bar3");
    let specs = ["bar", "tuned=bar;CONF=a:1,b:2"].map(String::from);
    let (chosen, _) = choose(&pinned, &specs, AS_BUILT, &[]).expect("good");
    assert_eq!(chosen[1].preload, chosen[2].preload);
    assert_eq!(chosen[2].settings, [("CONF".to_string(), "a:1,b:2".to_string())]);
    assert_eq!(chosen[2].name(), "tuned");
}

#[test]
fn bad_files_are_refused() {
    assert!(Pinned::parse("directories = []\ncontender = []\nsurprise = 1").is_err());
    let bare = "directories = []\n[[contender]]\nname = 'x'\nabout = 'y'";
    assert!(Pinned::parse(bare).is_err());
}
