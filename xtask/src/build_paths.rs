//! Keeps paths of the building machine out of the release archives.
//!
//! The compiler writes the path of every source file into the messages of panics. The flags that replace
//! these paths invalidate all build artifacts, so archives are built in a folder of their own and the
//! artifacts of `cargo build --release` stay valid. `cargo xtask bundle` and `install` keep the paths:
//! their bundles stay on this machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::bundle::{files, target_folder};

/// Build folder of the archives, inside cargo's.
const FOLDER: &str = "dist-build";

/// Paths of this machine and the replacement of each, the general before the special.
pub(crate) fn places() -> Result<Vec<(PathBuf, &'static str)>> {
    let home = dirs::home_dir();
    let or_home = |variable: &str, folder: &str| {
        let named = std::env::var_os(variable).map(PathBuf::from);
        named.or_else(|| Some(home.as_ref()?.join(folder)))
    };
    let cargo = or_home("CARGO_HOME", ".cargo");
    let registries = cargo.iter().flat_map(|cargo| {
        let sources = std::fs::read_dir(cargo.join("registry/src")).into_iter().flatten();
        sources.flatten().map(|entry| (entry.path(), "registry"))
    });
    let registries: Vec<_> = registries.collect();
    let general = [
        (home.clone(), "home"),
        (or_home("RUSTUP_HOME", ".rustup"), "rustup"),
        (cargo.clone(), "cargo"),
    ];
    let own = std::env::current_dir()?;
    let all = general.into_iter().filter_map(|(path, name)| Some((path?, name))).chain(registries);
    let all = all.chain([(own, "touchback")]);
    // Each path with its symbolic links and without.
    let spelled = all.flat_map(|(path, name)| {
        let real = path.canonicalize().ok().filter(|real| *real != path);
        [Some(path), real].into_iter().flatten().map(move |path| (path, name))
    });
    Ok(spelled.filter(|(path, _)| path.components().count() > 1).collect())
}

/// The compiler's flags in cargo's encoding: those of the environment (`encoded` takes precedence over
/// `plain`, as in cargo), then those that replace `places`.
pub(crate) fn flags(
    encoded: Option<OsString>,
    plain: Option<OsString>,
    places: &[(PathBuf, &str)],
) -> OsString {
    let given: Vec<OsString> = match (encoded, plain) {
        (Some(encoded), _) => Some(encoded).filter(|flags| !flags.is_empty()).into_iter().collect(),
        (None, Some(plain)) => {
            plain.to_string_lossy().split_whitespace().map(OsString::from).collect()
        }
        (None, None) => Vec::new(),
    };
    let own = places.iter().map(|(path, name)| {
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(path);
        flag.push("=");
        flag.push(name);
        flag
    });
    given.into_iter().chain(own).collect::<Vec<_>>().join("\u{1f}".as_ref())
}

/// Sets the environment so that cargo replaces `places` in its output, and builds in [`FOLDER`] of its present
/// build folder. Call it once.
pub(crate) fn leave_out(places: &[(PathBuf, &str)]) -> Result<()> {
    let [encoded, plain] = ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS"].map(std::env::var_os);
    let flags = flags(encoded, plain, places);
    let folder = std::path::absolute(target_folder().join(FOLDER))?;
    // SAFETY: this program has one thread.
    unsafe {
        std::env::set_var("CARGO_ENCODED_RUSTFLAGS", flags);
        std::env::set_var("CARGO_TARGET_DIR", folder);
    }
    Ok(())
}

/// # Errors
/// A file in `folder` that contains one of `places`.
pub(crate) fn refuse_in(folder: &Path, places: &[(PathBuf, &str)]) -> Result<()> {
    for file in files(folder)? {
        let bytes = std::fs::read(folder.join(&file))?;
        for (place, _) in places {
            let found = place_in(&bytes, place);
            ensure!(
                found.is_none(),
                "{}: contains `{}`",
                file.display(),
                found.unwrap_or_default()
            );
        }
    }
    Ok(())
}

/// The first path inside `place` that `bytes` contain.
fn place_in(bytes: &[u8], place: &Path) -> Option<String> {
    let mut start = place.as_os_str().as_encoded_bytes().to_vec();
    start.push(if cfg!(windows) { b'\\' } else { b'/' });
    let at = bytes.windows(start.len()).position(|window| window == start)?;
    let is_text = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    let length = bytes[at..].iter().take_while(|byte| is_text(byte)).take(200).count();
    Some(String::from_utf8_lossy(&bytes[at..at + length]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_the_environment_are_kept_and_ours_come_after() {
        let place = |path: &str| (PathBuf::from(path), "x");
        let places = [place("/home/me"), place("/home/me/a b")];
        let own = "--remap-path-prefix=/home/me=x\u{1f}--remap-path-prefix=/home/me/a b=x";
        let all = |encoded: Option<&str>, plain: Option<&str>| {
            flags(encoded.map(Into::into), plain.map(Into::into), &places)
        };
        assert_eq!(all(None, None), own);
        assert_eq!(all(Some(""), Some("-g")), own, "as cargo has it");
        let native = "-C\u{1f}target-cpu=native";
        assert_eq!(*all(None, Some(" -C target-cpu=native")), *format!("{native}\u{1f}{own}"));
        assert_eq!(*all(Some(native), Some("-g")), *format!("{native}\u{1f}{own}"));
    }

    /// The source has an absolute path, as cargo passes for registry sources.
    #[test]
    fn a_library_built_with_the_flags_does_not_contain_paths() {
        let work = tempfile::tempdir().unwrap();
        let home = work.path().canonicalize().unwrap();
        std::fs::create_dir(home.join("deep")).unwrap();
        let source = home.join("deep/lib.rs");
        std::fs::write(
            &source,
            "#[unsafe(no_mangle)] pub extern \"C\" fn f(i: usize) -> u8 { [1, 2][i] }",
        )
        .unwrap();
        let places = [(home.clone(), "home"), (home.join("deep"), "deep")];
        let compile = |flags: &OsString| {
            let out = tempfile::tempdir().unwrap();
            let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
            let mut command = std::process::Command::new(rustc);
            command.args(["--edition=2024", "--crate-type=staticlib", "-O", "-Cdebuginfo=0"]);
            let flags = flags.to_str().unwrap().split('\u{1f}').filter(|flag| !flag.is_empty());
            command.args(flags).arg(&source).arg("-o").arg(out.path().join("lib.a"));
            assert!(command.status().unwrap().success());
            refuse_in(out.path(), &places).map_err(|error| error.to_string())
        };
        let error = compile(&OsString::new()).unwrap_err();
        assert!(error.contains("lib.a: contains `") && error.contains("lib.rs"), "{error}");
        compile(&flags(None, None, &places)).unwrap();
    }

    #[test]
    fn the_paths_of_this_machine_are_absolute_and_end_with_the_workspace() {
        let places = places().unwrap();
        assert_eq!(places.last().unwrap().1, "touchback");
        assert!(places.iter().all(|(path, _)| path.is_absolute()), "{places:?}");
    }
}
