//! Build tasks: `cargo xtask bundle touchback --release`, `cargo xtask install`,
//! `cargo xtask licenses`, `cargo xtask dist`, `cargo xtask examples`, `cargo xtask book`,
//! `cargo xtask wheel`, `cargo xtask web`, `cargo xtask ci`.

mod book;
mod build_paths;
mod bundle;
#[cfg(test)]
mod compiler;
mod dist;
mod examples;
mod install;
mod licenses;
mod tools;
mod web;
mod wheel;

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

const USAGE: &str = "Usage:
  cargo xtask install [cargo build options]
      build the bundles and copy them into the user's plugin folders
  cargo xtask licenses
      check the licences of the plugin's packages and write their texts into the bundles
  cargo xtask dist [--windows]
      build archives with plugins, command, presets and licences in target/dist, for this system (on Linux a
      Debian package too) or, from Linux, for Windows; where maturin is installed, the Python package too
  cargo xtask examples
      make the manual's sound examples and their pictures again (needs opusenc)
  cargo xtask book
      build the documents as a book with a search in target/book (installs mdbook where there is none)
  cargo xtask wheel [--interpreter PYTHON]
      build the Python package in target/dist, for a free-threaded PYTHON its own wheel (needs maturin:
      python3 -m pip install maturin)
  cargo xtask web [--toolchain FOLDER]
      build the page for browsers in target/web, with a compiler that has the target wasm32-unknown-unknown
  cargo xtask ci
      run all checks of the continuous integration, as .ci/run lists them";

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    match args.next().as_deref() {
        Some("install") => install::run(args.collect()),
        Some("dist") => dist::run(&args.collect::<Vec<_>>()),
        Some("examples") => examples::run(&args.collect::<Vec<_>>()),
        Some("book") => book::run(),
        Some("web") => web::run(&args.collect::<Vec<_>>()),
        Some("wheel") => wheel::run(&args.collect::<Vec<_>>()),
        Some("ci") => ci(),
        Some("licenses") => licenses::run(),
        Some("bundle") => {
            bundle::bundle(std::env::args().skip(1))?;
            licenses::run()
        }
        Some("bundle-universal") => bundle::bundle(std::env::args().skip(1)),
        Some(_) => nice_plug_xtask::main(),
        None => {
            eprintln!("{USAGE}");
            nice_plug_xtask::main()
        }
    }
}

fn ci() -> Result<()> {
    nice_plug_xtask::chdir_workspace_root()?;
    let status = Command::new("bash")
        .arg(".ci/run")
        .status()
        .context("cannot start bash; on Windows it comes with Git")?;
    ensure!(status.success(), "a check failed: {status}");
    Ok(())
}
