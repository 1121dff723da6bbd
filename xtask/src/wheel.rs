//! The Python package as a wheel, `target/dist/touchback-*.whl`, and as its sources, `touchback-VERSION.tar.gz`.
//!
//! One wheel is for all Pythons but free-threaded ones, each version of which needs its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail, ensure};

use crate::build_paths;
use crate::bundle::{self, files, remove, run_command};
use crate::licenses::{self, HOST};

/// The package for Python: its folder and its name.
const FOLDER: &str = "crates/python";
const PACKAGE: &str = "touchback-python";
/// Feature of the package with which it shares the archives' build.
const SHARED: &str = "shared-build";
/// Program that builds the wheel, from `pip install maturin`.
const BUILDER: &str = "maturin";

/// Builds the wheel into `target/dist`, in the build folder of the archives.
pub(crate) fn run(options: &[String]) -> Result<()> {
    let interpreter = match options {
        [] => None,
        [option, name] if option == "--interpreter" => Some(name.as_str()),
        _ => bail!("cargo xtask wheel takes --interpreter PYTHON, for a free-threaded one"),
    };
    nice_plug_xtask::chdir_workspace_root()?;
    ensure!(can_build(), "{BUILDER} is missing: python3 -m pip install {BUILDER}");
    let places = build_paths::places()?;
    build_paths::leave_out(&places)?;
    build(interpreter)
}

/// Whether the program that builds the wheel is there.
pub(crate) fn can_build() -> bool {
    let version = Command::new(BUILDER).arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// Builds the wheel with the environment of the archives; for a free-threaded `interpreter` only its own, beside the
/// others.
pub(crate) fn build(interpreter: Option<&str>) -> Result<()> {
    let licences = licenses::of(PACKAGE, HOST, &[SHARED])?;
    let dist = std::path::absolute("target/dist")?;
    fs::create_dir_all(&dist)?;
    let is_wheel = |file: &&PathBuf| file.extension().is_some_and(|e| e == "whl");
    let replaced = if interpreter.is_none() { files(&dist)? } else { Vec::new() };
    for old in replaced.iter().filter(is_wheel) {
        remove(&dist.join(old))?;
    }
    // Where maturin looks for texts of licences.
    let text = Path::new(FOLDER).join("LICENSES.txt");
    fs::write(&text, &licences)?;
    let run = |options: &[&str]| {
        let manifest = Path::new(FOLDER).join("Cargo.toml");
        let mut builder = Command::new(BUILDER);
        builder.args(options).arg("-m").arg(manifest).arg("--out").arg(&dist);
        run_command(&mut builder)
    };
    let mut wheel =
        vec!["build", "--release", "--locked", "--features", SHARED, "--config", bundle::LEVELS];
    // `pip install ziglang`: a linker for the C library of RHEL 8 and later.
    let linker = Command::new("python3").args(["-m", "ziglang", "version"]).output();
    if HOST.contains("linux-gnu") && linker.is_ok_and(|output| output.status.success()) {
        wheel.extend(["--zig", "--compatibility", "manylinux_2_28", "--target", HOST]);
    }
    let built = match interpreter {
        Some(interpreter) => {
            wheel.extend(["--interpreter", interpreter]);
            run(&wheel)
        }
        None => run(&["sdist"]).and_then(|()| run(&wheel)),
    };
    fs::remove_file(&text)?;
    built
}
