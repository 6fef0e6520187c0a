//! Manifests that are refused, each with one line that names the key; and cases of good ones.

use super::*;

const GOOD: &str = "name = 'x'
about = 'y'
kind = 'programs'
program = 'bench/x-{contender}'
shown = ['wall_s']
next = 'x'
contender = [{ name = 'a', role = 'own' }, { name = 'b', role = 'peer' }, { name = 'c' }]
[lists]
size = ['small', 'large']
phase = ['push', 'pop']
[[workload]]
names = ['list-{phase}-{size}', 'find']
[[workload]]
names = ['mix']
threads = [1, 2, 10]
quick_threads = [1]
arguments = ['--hard']
except = ['c']
[[workload]]
names = ['fill']
contenders = ['c']
exact = true
check = false
[[target]]
what = 'all'
own = 'a'
against = 'peers'
metric = 'wall_s'
mean = true
at_most = 1.0
";

fn refused(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    match Manifest::parse(&GOOD.replacen(from, to, 1)) {
        Err(why) => why,
        Ok(_) => panic!("{to} was not refused"),
    }
}

#[test]
fn a_twin_runs_with_the_allocator_of_an_own_contender() {
    let manifest = |last: &str| {
        let without_c = GOOD.replace("except = ['c']", "").replace("contenders = ['c']", "");
        Manifest::parse(&without_c.replace("{ name = 'c' }", last))
    };
    let own = "{ name = 'c', role = 'twin', preload = 'heapsmith' }";
    assert!(manifest(own).is_err_and(|why| why.contains("is the twin of no own contender")));
    let unless = "{ name = 'c', unless = 'd' }";
    assert!(manifest(unless).is_err_and(|why| why.contains("c.unless: no contender is called")));
}

#[test]
fn names_stand_for_all_words_of_their_lists() {
    let cases = Manifest::parse(GOOD).expect("good").cases(false);
    let names: Vec<_> = cases.iter().map(|case| case.workload.as_str()).collect();
    let expected = [
        "list-push-small",
        "list-push-large",
        "list-pop-small",
        "list-pop-large",
        "find",
        "mix",
        "mix",
        "mix",
        "fill",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_workload_has_a_case_for_each_number_of_threads() {
    let manifest = Manifest::parse(GOOD).expect("good");
    let mixes = |quick| {
        let cases = manifest.cases(quick).into_iter().filter(|case| case.workload == "mix");
        cases.map(|case| case.threads).collect::<Vec<_>>()
    };
    assert_eq!(mixes(false), [Some(1), Some(2), Some(10)]);
    assert_eq!(mixes(true), [Some(1)]);
    let cases = manifest.cases(false);
    assert_eq!((cases[0].threads, cases[0].params.len()), (None, 0));
    assert_eq!(cases[0].contenders, ["a", "b", "c"]);
    let mix = &cases[5];
    assert_eq!(
        (mix.contenders.join(" "), mix.arguments.join(" ")),
        ("a b".into(), "--hard".into())
    );
    let fill = &cases[8];
    assert!(fill.contenders == ["c"] && fill.exact && !fill.check);
}

#[test]
fn unknown_keys_are_refused_with_their_line() {
    let why = refused("[lists]", "surprise = 1\n[lists]");
    assert!(why.starts_with("8: unknown field `surprise`"), "{why}");
    assert!(refused("exact = true", "exacts = true").contains("`exacts`"));
    assert!(refused("own = 'a'", "owns = 'a'").contains("`owns`"));
    assert!(refused("'wall_s'", "'wall'").contains("no metric is called 'wall'"));
    assert!(refused("'programs'", "'program'").contains("workload: kind = \"program\" has none"));
    assert!(
        refused("'programs'", "'processes'").contains("program: kind = \"processes\" has none")
    );
    assert!(refused("'programs'", "'callgrind'").contains("remove it"));
    assert!(refused("'programs'", "'sums'").contains("unknown variant `sums`"));
    assert!(Manifest::parse(GOOD).is_ok());
}

#[test]
fn names_that_no_contender_has_are_refused() {
    let why = refused("own = 'a'", "own = 'd'");
    assert!(why.starts_with(" target 1: own: no contender is called 'd'"), "{why}");
    assert!(refused("against = 'peers'", "against = ['b', 'd']").contains("target 1: against: "));
    assert!(refused("except = ['c']", "except = ['d']").starts_with(" workload 2: except: "));
    assert!(refused("contenders = ['c']", "contenders = ['d']").contains("workload 3: contenders"));
    assert!(refused("role = 'peer'", "about = 'z'").contains("no contender has the role peer"));
    assert!(refused("name = 'b'", "name = 'a'").contains("'a' is listed twice"));
    assert!(
        refused("name = 'b'", "preload = 'glibcc', name = 'b'").contains("lab/contenders.toml")
    );
    assert!(refused("[lists]", "[renamed]\nold = 'd'\n[lists]").contains("renamed.old"));
}

#[test]
fn keys_that_have_no_meaning_together_are_refused() {
    assert!(refused("at_most = 1.0", "at_most = 1.0\nahead = true").contains("keep one"));
    assert!(refused("mean = true", "worst_at_most = 2.0").contains("add mean = true"));
    assert!(refused("mean = true\nat_most = 1.0", "").contains("only a mean goes without"));
    assert!(refused("what = 'all'", "").contains("what: is missing"));
    assert!(refused("mean = true", "or_of_limit = 1.1").contains("role limit"));
    assert!(refused("own = 'a'", "own = 'a'\npairs = [['a', 'b']]").contains("pairs: "));
    assert!(refused("own = 'a'\n", "").contains("own: give own and against"));
    assert!(refused("exact = true", "needs = { gs = 'ghostscript' }").contains("needs: only kind"));
    assert!(refused("-{contender}", "").contains("{contender}"));
    assert!(refused("{phase}", "{phrase}").contains("stands for nothing"));
    assert!(refused("'find'", "'find{'").contains("without its partner"));
    assert!(refused("shown", "rounds = 5\nshown").contains("at least 6"));
    assert!(refused("about = 'y'", "about = ''").contains("about: is empty"));
}

#[test]
fn counted_paths_are_checked() {
    let with = |counted: &str| {
        let text = format!("{GOOD}[[counted]]\nworkload = 'w'\nprogram = 'p'\n{counted}");
        Manifest::parse(&text).map(|manifest| manifest.counted[0].sizes(true))
    };
    let functions = "functions = [['a', 'a_call']]";
    assert_eq!(with(&format!("counts = [1, 2]\n{functions}")), Ok(vec![None]));
    let sizes = "sizes = [16, 64]\nquick_sizes = [16]";
    assert_eq!(with(&format!("counts = [1, 2]\n{functions}\n{sizes}")), Ok(vec![Some(16)]));
    assert!(
        with(&format!("counts = [2, 2]\n{functions}")).is_err_and(|why| why.contains("counts"))
    );
    assert!(with("counts = [1, 2]").is_err_and(|why| why.contains("functions: is missing")));
    assert!(
        with("counts = [1, 2]\nfunctions = [['d', 'f']]").is_err_and(|why| why.contains("'d'"))
    );
}

#[test]
fn a_target_compares_with_the_best_with_each_or_in_pairs() {
    let of = |text: &str| {
        let target: Target = toml::from_str(&format!("metric = 'wall_s'\n{text}")).expect("good");
        let shown = |(own, others): (String, Vec<String>)| format!("{own}:{}", others.join("+"));
        let comparisons = target.comparisons(&["p", "q"]);
        comparisons.into_iter().map(shown).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of("own = 'a'\nagainst = 'b'"), "a:b");
    assert_eq!(of("own = ['a', 'b']\nagainst = 'peers'"), "a:p+q b:p+q");
    assert_eq!(of("own = 'a'\nagainst_each = 'peers'"), "a:p a:q");
    assert_eq!(of("pairs = [['a', 'b'], ['c', 'd']]"), "a:b c:d");
}
