//! The bundles, the command and the folders that the tasks share: names, builds, copies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// The plugin's bundles, CLAP before VST3.
pub(crate) const BUNDLES: [&str; 2] = ["Touchback.clap", "Touchback.vst3"];
/// Name of the licences' file beside a bundle that is a single file.
pub(crate) const BESIDE: &str = "Touchback LICENSES.txt";
/// Build folder for Windows, as in `tests/host/windows.sh`.
pub(crate) const CROSS: &str = "target/windows/build";
/// The package of the command.
pub(crate) const COMMAND: &str = "touchback-command";
/// Levels of optimization of what is handed out.
pub(crate) const LEVELS: &str = "packaging/levels.toml";
/// Arguments that build plugin and command in one call of cargo, with the features of the wheel: separate calls would
/// select other features and build the dependencies again.
pub(crate) const RELEASE: [&str; 12] = [
    "build",
    "--config",
    LEVELS,
    "--release",
    "-p",
    "touchback",
    "-p",
    COMMAND,
    "-p",
    "touchback-features",
    "--features",
    "touchback-command/window",
];

/// Bundles the plugin, with its window: `arguments` are those after `cargo xtask`.
pub(crate) fn bundle(arguments: impl IntoIterator<Item = String>) -> Result<()> {
    let window = ["--features", "window"].map(str::to_owned);
    nice_plug_xtask::main_with_args("cargo xtask", arguments.into_iter().chain(window))
}
pub(crate) const PROGRAM: &str = if cfg!(windows) { "touchback.exe" } else { "touchback" };

/// Cargo's build folder, unless an argument names another.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from)
}

/// Runs cargo with `arguments`.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a &'a str>) -> Result<()> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    // The switch rebuilds everything: only for unstable flags, and in a folder of its own.
    if command.get_args().any(|argument| argument.to_string_lossy().starts_with("-Z")) {
        command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", CROSS);
    }
    run_command(&mut command)
}

/// Runs `command`; an error unless it succeeds.
pub(crate) fn run_command(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}

/// Writes every factory piano for VST3 hosts into `folder`, with the command `program` of this system.
pub(crate) fn presets(program: &Path, folder: &Path) -> Result<()> {
    run_command(Command::new(program).args(["preset", "export", "--all"]).arg(folder))
}

/// Builds the command of this system for release; returns its path.
pub(crate) fn built_command() -> Result<PathBuf> {
    cargo(&RELEASE)?;
    Ok(target_folder().join("release").join(PROGRAM))
}

/// The files in `folder` and below, sorted, relative to it.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let (mut waiting, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(&next).with_context(|| next.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                files.push(path.strip_prefix(folder)?.to_owned());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Removes a file or a folder, if it exists.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = match path.symlink_metadata() {
        Err(_) => return Ok(()),
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    };
    removed.with_context(|| format!("cannot remove {}", path.display()))
}

/// Copies a file or a folder; creates the folders above `to`.
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
