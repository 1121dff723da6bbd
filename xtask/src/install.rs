//! Copies the bundles and presets to where hosts look for the user's.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use cargo_metadata::MetadataCommand;

use crate::licenses::BESIDE;

const PACKAGE: &str = "touchback";
pub(crate) const BUNDLES: [&str; 2] = ["Touchback.clap", "Touchback.vst3"];

/// Bundles with `options` for cargo (a release build unless they choose a profile), then installs.
pub(crate) fn run(mut options: Vec<String>) -> Result<()> {
    if !options.iter().any(|o| o.starts_with("--profile") || o == "--release") {
        options.push("--release".to_owned());
    }
    let bundle = ["bundle".to_owned(), PACKAGE.to_owned()].into_iter().chain(options);
    nice_plug_xtask::main_with_args("cargo xtask", bundle)?;
    crate::licenses::run()?;
    let workspace = MetadataCommand::new().no_deps().exec().context("cargo metadata failed")?;
    let bundled = workspace.target_directory.as_std_path().join("bundled");
    for (bundle, folder) in BUNDLES.iter().zip(folders()?) {
        let installed = install(&bundled.join(bundle), &folder)?;
        eprintln!("Installed {}", installed.display());
        if installed.is_file() {
            install(&bundled.join(BESIDE), &folder)?;
        }
    }
    let presets = presets()?;
    crate::dist::presets(&presets)?;
    eprintln!("Installed {}", presets.display());
    Ok(())
}

/// The folder of the user's VST3 presets: VST 3 developer portal, "Preset Locations".
fn presets() -> Result<PathBuf> {
    let home = dirs::home_dir().context("the user has no home directory")?;
    let folder = if cfg!(target_os = "macos") {
        home.join("Library/Audio/Presets")
    } else if cfg!(windows) {
        dirs::document_dir().context("the user has no documents")?.join("VST3 Presets")
    } else {
        home.join(".vst3/presets")
    };
    Ok(folder.join("Touchback").join("Touchback"))
}

/// The user's CLAP and VST3 folders: CLAP 1.2 `entry.h`; VST 3 developer portal, "Plug-in
/// Locations".
fn folders() -> Result<[PathBuf; 2]> {
    let home = dirs::home_dir().context("the user has no home directory")?;
    Ok(if cfg!(target_os = "macos") {
        let plugins = home.join("Library/Audio/Plug-Ins");
        [plugins.join("CLAP"), plugins.join("VST3")]
    } else if cfg!(windows) {
        let local = dirs::data_local_dir().context("the user has no local application data")?;
        let common = local.join("Programs/Common");
        [common.join("CLAP"), common.join("VST3")]
    } else {
        [home.join(".clap"), home.join(".vst3")]
    })
}

/// Puts `bundle` (a file or a folder) into `folder`, replacing an older one; returns its place.
///
/// The copy is complete before it takes the old one's name, so a host never sees half a bundle.
fn install(bundle: &Path, folder: &Path) -> Result<PathBuf> {
    let name = bundle.file_name().context("a bundle has a name")?;
    let installed = folder.join(name);
    let fresh = folder.join(format!(".{}.new", name.to_string_lossy()));
    remove(&fresh)?;
    copy(bundle, &fresh)?;
    remove(&installed)?;
    fs::rename(&fresh, &installed)
        .with_context(|| format!("cannot rename {} to {}", fresh.display(), installed.display()))?;
    Ok(installed)
}

pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = match path.symlink_metadata() {
        Err(_) => return Ok(()),
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    };
    removed.with_context(|| format!("cannot remove {}", path.display()))
}

pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let context = || format!("cannot copy {} to {}", from.display(), to.display());
    if from.is_dir() {
        fs::create_dir_all(to).with_context(context)?;
        for entry in fs::read_dir(from).with_context(context)? {
            let entry = entry.with_context(context)?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).with_context(context)?;
        }
        fs::copy(from, to).with_context(context)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_replaces_the_older_one_whole() {
        let work = tempfile::tempdir().unwrap();
        let bundle = work.path().join("Touchback.vst3");
        fs::create_dir_all(bundle.join("Contents/x86_64-linux")).unwrap();
        fs::write(bundle.join("Contents/x86_64-linux/Touchback.so"), "new").unwrap();
        let folder = work.path().join("not/yet/there");
        let installed = folder.join("Touchback.vst3");
        fs::create_dir_all(installed.join("Contents")).unwrap();
        fs::write(installed.join("Contents/stale"), "old").unwrap();
        assert_eq!(install(&bundle, &folder).unwrap(), installed);
        let library = installed.join("Contents/x86_64-linux/Touchback.so");
        assert_eq!(fs::read_to_string(library).unwrap(), "new");
        assert!(!installed.join("Contents/stale").exists());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn a_single_file_is_a_bundle_too() {
        let work = tempfile::tempdir().unwrap();
        let bundle = work.path().join("Touchback.clap");
        fs::write(&bundle, "library").unwrap();
        let folder = work.path().join("plugins");
        let installed = install(&bundle, &folder).unwrap();
        assert_eq!(fs::read_to_string(installed).unwrap(), "library");
    }

    #[test]
    fn a_missing_bundle_leaves_the_old_one() {
        let work = tempfile::tempdir().unwrap();
        let folder = work.path().join("plugins");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("Touchback.clap"), "old").unwrap();
        let error = install(&work.path().join("Touchback.clap"), &folder).unwrap_err();
        assert!(error.to_string().contains("cannot copy"));
        assert_eq!(fs::read_to_string(folder.join("Touchback.clap")).unwrap(), "old");
    }

    #[test]
    fn the_folders_differ_by_format() {
        let [clap, vst3] = folders().unwrap();
        assert!(clap.is_absolute() && vst3.is_absolute() && clap != vst3);
    }
}
