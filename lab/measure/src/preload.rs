//! The paths that LD_PRELOAD takes.

use std::path::Path;

use anyhow::Result;

use crate::error::environment;

/// ld.so splits LD_PRELOAD at colons and spaces and has no way to quote them.
pub fn require_preloadable_path(path: &Path) -> Result<()> {
    let text = path.to_string_lossy();
    if text.contains([':', ' ']) {
        return Err(environment(format!(
            "{text} cannot be preloaded: LD_PRELOAD takes no path with a space or a colon"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    //! Paths that are refused.
    use super::*;

    #[test]
    fn paths_ld_so_would_split_are_refused() {
        assert!(require_preloadable_path(Path::new("/a b/lib.so")).is_err());
        assert!(require_preloadable_path(Path::new("/a:b/lib.so")).is_err());
        assert!(require_preloadable_path(Path::new("/ab/lib.so")).is_ok());
    }
}
