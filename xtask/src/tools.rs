//! Programs of the registry that a build task needs: the system's, or installed into `target/tools`.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// A program of the registry.
#[derive(Clone, Copy)]
pub(crate) struct Tool<'a> {
    /// Name of the program.
    pub(crate) name: &'a str,
    /// Its package.
    pub(crate) package: &'a str,
    /// The version that is installed where there is none.
    pub(crate) version: &'a str,
    /// Whether no other version will do.
    pub(crate) is_exact: bool,
    /// Options of `cargo install` that leave out what is not needed.
    pub(crate) options: &'a [&'a str],
}

impl Tool<'_> {
    /// The system's program, or that of `target/tools`, installed first if need be. Call it in the workspace's
    /// folder.
    pub(crate) fn program(&self) -> Result<PathBuf> {
        let Self { name, package, version, options, .. } = *self;
        if self.serves(&PathBuf::from(name)) {
            return Ok(name.into());
        }
        let root = PathBuf::from("target/tools");
        let installed = root.join("bin").join(name).with_extension(std::env::consts::EXE_EXTENSION);
        if !self.serves(&installed) {
            let install = |locked: Option<&str>| {
                // Built quickly: each runs for seconds.
                Command::new("cargo")
                    .env("CARGO_PROFILE_DEV_DEBUG", "0")
                    .args(["install", package, "--bin", name, "--debug", "--force"])
                    .args(options)
                    .args(["--version", version, "--root"])
                    .arg(&root)
                    .args(locked)
                    .status()
                    .context("cannot start cargo")
            };
            let mut status = install(Some("--locked"))?;
            if !status.success() {
                // A registry may lack a version that the package was published with.
                status = install(None)?;
            }
            ensure!(status.success(), "{package} {version} cannot be installed: {status}");
        }
        Ok(std::path::absolute(installed)?)
    }

    /// Whether `program` runs and has the right version.
    fn serves(&self, program: &PathBuf) -> bool {
        let Ok(output) = Command::new(program).arg("--version").output() else { return false };
        let told = String::from_utf8_lossy(&output.stdout);
        output.status.success()
            && (!self.is_exact || told.split_whitespace().any(|word| word == self.version))
    }
}
