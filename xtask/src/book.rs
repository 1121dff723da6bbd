//! The documents as a book with an index and a search: `target/book/index.html`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// Program that builds the book, and the version that is installed where there is none.
const MDBOOK: (&str, &str) = ("mdbook", "0.5.2");

/// Builds the book. Installs mdbook into `target/tools` where the system has none.
pub fn run() -> Result<()> {
    nice_plug_xtask::chdir_workspace_root()?;
    let status = Command::new(program()?).arg("build").status().context("cannot start mdbook")?;
    ensure!(status.success(), "mdbook failed: {status}");
    println!("wrote target/book/index.html");
    Ok(())
}

/// The system's mdbook, or that of `target/tools`, installed first if need be.
fn program() -> Result<PathBuf> {
    let (name, version) = MDBOOK;
    if Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Ok(name.into());
    }
    let root = PathBuf::from("target/tools");
    let installed = root.join("bin").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    if !installed.is_file() {
        let status = Command::new("cargo")
            .args(["install", name, "--locked", "--version", version, "--root"])
            .arg(&root)
            .status()
            .context("cannot start cargo")?;
        ensure!(status.success(), "{name} {version} cannot be installed: {status}");
    }
    Ok(std::path::absolute(installed)?)
}
