//! Copies the bundles and presets to the user's folders that hosts search.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use cargo_metadata::MetadataCommand;

use crate::bundle::{self, BESIDE, BUNDLES, copy, remove};

const PACKAGE: &str = "touchback";

/// Bundles with `options` for cargo (a release build unless they choose a profile), then installs.
pub(crate) fn run(mut options: Vec<String>) -> Result<()> {
    if !options.iter().any(|o| o.starts_with("--profile") || o == "--release") {
        options.push("--release".to_owned());
    }
    let arguments = ["bundle".to_owned(), PACKAGE.to_owned()].into_iter().chain(options);
    bundle::bundle(arguments)?;
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
    bundle::presets(&bundle::built_command()?, &presets)?;
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

/// Copies `bundle` (a file or a folder) to `folder`, replacing an older one; returns its path.
///
/// The copy is complete before it takes the old bundle's name, so a host never sees half a bundle. Until
/// then the old bundle exists under one of two names. The next run repairs the state that an interrupted
/// run leaves.
fn install(bundle: &Path, folder: &Path) -> Result<PathBuf> {
    let name = bundle.file_name().context("a bundle has a name")?;
    let installed = folder.join(name);
    let beside = |ending: &str| folder.join(format!(".{}.{ending}", name.to_string_lossy()));
    let (fresh, aside) = (beside("new"), beside("old"));
    recover(&installed, &aside)?;
    remove(&fresh)?;
    copy(bundle, &fresh)?;
    replace(&fresh, &installed, &aside)?;
    Ok(installed)
}

/// Renames `aside` back to `installed` if a run was interrupted between its two renames.
fn recover(installed: &Path, aside: &Path) -> Result<()> {
    if installed.symlink_metadata().is_err() && aside.symlink_metadata().is_ok() {
        rename(aside, installed)?;
    }
    // Windows cannot remove a library while a host has it open; a later run removes it.
    remove(aside)
}

/// Renames `fresh` to `installed`; an older bundle is renamed to `aside` first.
fn replace(fresh: &Path, installed: &Path, aside: &Path) -> Result<()> {
    // `rename` replaces a file atomically, but not a folder that has contents.
    if fs::rename(fresh, installed).is_ok() {
        return Ok(());
    }
    rename(installed, aside)?;
    if let Err(error) = rename(fresh, installed) {
        rename(aside, installed)?;
        return Err(error);
    }
    if let Err(error) = remove(aside) {
        eprintln!("{error:#}; the next installation removes it");
    }
    Ok(())
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to)
        .with_context(|| format!("cannot rename {} to {}", from.display(), to.display()))
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

    /// Every state in which a run may be ended: the old bundle, or the new one, is there after the next,
    /// whether that succeeds or not.
    #[test]
    fn an_interrupted_installation_loses_nothing() {
        let states: [&[&str]; 6] = [
            &["X.vst3"],
            &["X.vst3", ".X.vst3.new"],
            &[".X.vst3.old", ".X.vst3.new"],
            &[".X.vst3.old"],
            &["X.vst3", ".X.vst3.old"],
            &["X.vst3", ".X.vst3.old", ".X.vst3.new"],
        ];
        for state in states {
            for is_there in [true, false] {
                let work = tempfile::tempdir().unwrap();
                let (bundle, folder) = (work.path().join("X.vst3"), work.path().join("plugins"));
                for name in state {
                    fs::create_dir_all(folder.join(name)).unwrap();
                    let text = if name.ends_with("new") { "half" } else { "old" };
                    fs::write(folder.join(name).join("library"), text).unwrap();
                }
                if is_there {
                    fs::create_dir_all(&bundle).unwrap();
                    fs::write(bundle.join("library"), "new").unwrap();
                }
                assert_eq!(install(&bundle, &folder).is_ok(), is_there, "{state:?}");
                let expected = if is_there { "new" } else { "old" };
                let library = folder.join("X.vst3/library");
                assert_eq!(fs::read_to_string(library).unwrap(), expected, "{state:?}");
                if is_there {
                    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "{state:?}");
                }
            }
        }
    }

    /// The new bundle cannot take the place: the old one has its name again.
    #[test]
    fn a_failed_exchange_is_undone() {
        let work = tempfile::tempdir().unwrap();
        let at = |name: &str| work.path().join(name);
        fs::create_dir_all(at("X.vst3/old")).unwrap();
        assert!(replace(&at("none"), &at("X.vst3"), &at(".X.vst3.old")).is_err());
        assert!(at("X.vst3/old").is_dir() && !at(".X.vst3.old").exists());
    }

    /// The script of the archives, run after one that was ended at any place.
    #[cfg(unix)]
    #[test]
    fn the_script_repairs_an_interrupted_installation() {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/install.sh");
        let states: [&[&str]; 4] =
            [&["X"], &[".X.old", ".X.new"], &[".X.old"], &["X", ".X.old", ".X.new"]];
        for state in states {
            for is_there in [true, false] {
                let work = tempfile::tempdir().unwrap();
                let put = |path: &str, text: &str| {
                    let path = work.path().join(path);
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, text).unwrap();
                };
                put("presets/a.vstpreset", "");
                if is_there {
                    put("Touchback.clap", "new");
                    put("Touchback.vst3/library", "new");
                }
                let home = ".home/Library/Audio/Plug-Ins";
                let [clap, vst3] = match cfg!(target_os = "macos") {
                    true => [format!("{home}/CLAP"), format!("{home}/VST3")],
                    false => [".home/.clap".to_owned(), ".home/.vst3".to_owned()],
                };
                for name in state {
                    let text = if name.ends_with("new") { "half" } else { "old" };
                    put(&format!("{clap}/{}", name.replace('X', "Touchback.clap")), text);
                    put(&format!("{vst3}/{}/library", name.replace('X', "Touchback.vst3")), text);
                }
                fs::copy(&script, work.path().join("install.sh")).unwrap();
                let run = std::process::Command::new("sh")
                    .arg(work.path().join("install.sh"))
                    .env("PREFIX", work.path().join(".home"))
                    .output()
                    .unwrap();
                assert_eq!(run.status.success(), is_there, "{state:?}: {run:?}");
                let text = |path: String| fs::read_to_string(work.path().join(path)).unwrap();
                let expected = if is_there { "new" } else { "old" };
                assert_eq!(text(format!("{clap}/Touchback.clap")), expected, "{state:?}");
                if is_there {
                    assert_eq!(text(format!("{vst3}/Touchback.vst3/library")), "new", "{state:?}");
                    for folder in [&clap, &vst3] {
                        let names = fs::read_dir(work.path().join(folder)).unwrap();
                        let hidden = names.filter(|e| {
                            e.as_ref().unwrap().file_name().to_string_lossy().starts_with(".T")
                        });
                        assert_eq!(hidden.count(), 0, "{state:?}: {folder}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_folders_differ_by_format() {
        let [clap, vst3] = folders().unwrap();
        assert!(clap.is_absolute() && vst3.is_absolute() && clap != vst3);
    }
}
