//! Misuse that must not compile: each file in cases says which error it is.
use std::path::Path;
use ui_test::color_eyre::Result;
use ui_test::custom_flags::edition::Edition;
use ui_test::dependencies::DependencyBuilder;
use ui_test::{Config, run_tests};

#[test]
fn misuse_does_not_compile() -> Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut config = Config::rustc(here.join("cases"));
    config.out_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_fail");
    // The error's code says what was refused; the compiler's words for it change.
    config.output_conflict_handling = ui_test::ignore_output_conflict;
    let dependencies =
        DependencyBuilder { crate_manifest_path: here.join("Cargo.toml"), ..Default::default() };
    let defaults = config.comment_defaults.base();
    defaults.set_custom("dependencies", dependencies);
    defaults.set_custom("edition", Edition("2024".into()));
    run_tests(config)
}
