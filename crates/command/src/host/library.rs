//! Finds the built plugin.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};

use touchback_offline::output::Shown as _;

/// The CLAP bundle's name, to its library.
const BUNDLE: &str = if cfg!(target_os = "macos") {
    "Touchback.clap/Contents/MacOS/Touchback"
} else {
    "Touchback.clap"
};

/// The newest build of the plugin library near the running program: beside it, in `deps/` beside it or
/// in the folder above (where tests run from `deps/`); or as a bundle: beside it as in an archive, built,
/// or where a Debian package has it.
///
/// # Errors
/// Names the folder searched and how to build the library.
pub fn find() -> Result<PathBuf> {
    let program = std::env::current_exe().context("the program's own folder is unknown")?;
    let folder = program.parent().unwrap_or(Path::new("."));
    newest(&candidates(folder)).ok_or_else(|| {
        anyhow!(
            "{}: neither the plugin library {} nor Touchback.clap is there; run `touchback` in the \
             archive's folder, or build the library with `cargo build`",
            folder.shown(),
            name()
        )
    })
}

/// File name of the library on this system.
fn name() -> String {
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    format!("{prefix}touchback{suffix}")
}

fn candidates(folder: &Path) -> [PathBuf; 6] {
    let name = name();
    [
        folder.join(&name),
        folder.join("deps").join(&name),
        folder.join("..").join(&name),
        folder.join(BUNDLE),
        folder.join("../bundled").join(BUNDLE),
        folder.join("../lib/clap").join(BUNDLE),
    ]
}

/// The newest of `paths`, the first of equals: a build may leave an old copy next to a new one.
fn newest(paths: &[PathBuf]) -> Option<PathBuf> {
    let mut best: Option<(SystemTime, &PathBuf)> = None;
    for path in paths {
        let Ok(time) = path.metadata().and_then(|m| m.modified()) else { continue };
        if best.is_none_or(|(t, _)| time > t) {
            best = Some((time, path));
        }
    }
    best.map(|(_, path)| path.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_library_is_found_in_any_of_its_places() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("debug");
        std::fs::create_dir_all(folder.join("deps")).unwrap();
        let places = candidates(&folder);
        assert!(newest(&places).is_none());
        std::fs::write(&places[1], b"old").unwrap();
        assert_eq!(newest(&places).as_ref(), Some(&places[1]));
        let file = std::fs::File::create(&places[0]).unwrap();
        file.set_modified(SystemTime::now() + std::time::Duration::from_secs(9)).unwrap();
        assert_eq!(newest(&places).as_ref(), Some(&places[0]));
    }
}
