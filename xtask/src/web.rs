//! The page for browsers: `target/web`, for any server of plain files.
//!
//! It needs a compiler for `wasm32-unknown-unknown`: the everyday one with this target, or another one whose
//! folder is named, which may bring the standard library as source.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use crate::build_paths;
use crate::bundle::files;
use crate::tools::Tool;

/// The finished page.
pub(crate) const FOLDER: &str = "target/web";

/// Build folder: another compiler's artifacts must not replace the everyday ones.
const BUILD: &str = "target/web-build";

const PROFILE: &str = "web";
const TARGET: &str = "wasm32-unknown-unknown";

/// The packages of the modules: the window, the piano, and the functions of the live figures.
const PACKAGES: [&str; 3] = ["touchback-web", "touchback-web-audio", "touchback-web-figures"];

/// The modules that need no script of their own.
const PLAIN: [&str; 2] = ["touchback_web_audio.wasm", "touchback_web_figures.wasm"];

/// Files of the page that are as they are: their places in the tree.
const STATIC: &str = "web/static";
const WALKS: &str = "docs/walks";

const MISSING: &str = "this compiler has no target wasm32-unknown-unknown. With rustup: \
    `rustup target add wasm32-unknown-unknown`. Without: docs/web.md names packages of Debian that unpack to \
    a toolchain for `cargo xtask web --toolchain FOLDER`";

/// Builds the page.
pub(crate) fn run(options: &[String]) -> Result<()> {
    nice_plug_xtask::chdir_workspace_root()?;
    let toolchain = match options {
        [] => Toolchain::everyday()?,
        [option, folder] if option == "--toolchain" => Toolchain::at(Path::new(folder))?,
        _ => bail!("usage: cargo xtask web [--toolchain FOLDER]"),
    };
    let places = build_paths::places()?;
    toolchain.build(&places)?;
    let built = Path::new(BUILD).join(TARGET).join(PROFILE);
    let folder = Path::new(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    bind(&built.join("touchback_web.wasm"), folder)?;
    for module in PLAIN {
        fs::copy(built.join(module), folder.join(module))?;
    }
    for file in files(Path::new(STATIC))? {
        fs::copy(Path::new(STATIC).join(&file), folder.join(&file))?;
    }
    for film in
        files(Path::new(WALKS))?.iter().filter(|file| file.extension() == Some("png".as_ref()))
    {
        fs::copy(Path::new(WALKS).join(film), folder.join(film))?;
    }
    for module in ["touchback_web_bg.wasm"].into_iter().chain(PLAIN) {
        shrink(&folder.join(module))?;
    }
    build_paths::refuse_in(folder, &places)?;
    let mut bytes = 0;
    for file in files(folder)? {
        bytes += fs::metadata(folder.join(file))?.len();
    }
    println!("wrote {FOLDER}/index.html and what it loads, {:.1} MB", 1e-6 * bytes as f64);
    println!("try it: python3 -m http.server --bind 127.0.0.1 --directory {FOLDER} 8000");
    Ok(())
}

/// Copies the finished page to `folder`.
pub(crate) fn copy_to(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for file in files(Path::new(FOLDER))? {
        fs::copy(Path::new(FOLDER).join(&file), folder.join(&file))?;
    }
    Ok(())
}

/// A compiler for the target.
struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
    /// Folder of shared libraries that the compiler needs.
    libraries: Vec<PathBuf>,
    /// Whether the standard library is compiled from its source.
    builds_std: bool,
}

impl Toolchain {
    /// The everyday compiler.
    fn everyday() -> Result<Self> {
        let rustc = PathBuf::from(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        let libraries = printed(&rustc, &["target-libdir", "--target", TARGET])?;
        ensure!(Path::new(&libraries).is_dir(), MISSING);
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()).into();
        Ok(Self { cargo, rustc, libraries: Vec::new(), builds_std: false })
    }

    /// The toolchain whose `bin/cargo` and `bin/rustc` lie in `folder` or in its `usr`.
    fn at(folder: &Path) -> Result<Self> {
        let root = [folder.to_owned(), folder.join("usr")]
            .into_iter()
            .find(|root| root.join("bin/rustc").is_file() && root.join("bin/cargo").is_file());
        let root =
            root.with_context(|| format!("{}: no bin/cargo and bin/rustc", folder.display()))?;
        let root = root.canonicalize()?;
        let library = root.join("lib");
        // Debian keeps libraries of one architecture in a folder of its own.
        let machine = std::env::consts::ARCH;
        let libraries = vec![library.join(format!("{machine}-linux-gnu")), library];
        let mut found = Self {
            cargo: root.join("bin/cargo"),
            rustc: root.join("bin/rustc"),
            libraries,
            builds_std: false,
        };
        let mut asked = found.command(&found.rustc);
        let target = output(asked.args(["--print", "target-libdir", "--target", TARGET]))?;
        found.builds_std = !Path::new(&target).is_dir();
        Ok(found)
    }

    /// `program` with what it needs to run.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env("RUSTC", &self.rustc).env_remove("RUSTUP_TOOLCHAIN");
        if !self.libraries.is_empty()
            && let Ok(path) = std::env::join_paths(&self.libraries)
        {
            command.env("LD_LIBRARY_PATH", path);
        }
        command
    }

    /// Builds the modules; `places` do not appear in them.
    fn build(&self, places: &[(PathBuf, &str)]) -> Result<()> {
        let mut flags = build_paths::flags(None, None, places);
        flags.push("\u{1f}-Ctarget-feature=+simd128");
        let mut command = self.command(&self.cargo);
        command.arg("build");
        // In one call, so that what they share is built once.
        for package in PACKAGES {
            command.args(["-p", package]);
        }
        command
            .args(["--profile", PROFILE, "--locked", "--target", TARGET, "--target-dir", BUILD])
            .env("CARGO_ENCODED_RUSTFLAGS", &flags)
            .env_remove("RUSTFLAGS");
        if self.builds_std {
            // Parts of the compiler that are not stable, such as this one, are otherwise refused.
            command.arg("-Zbuild-std=std,panic_abort").env("RUSTC_BOOTSTRAP", "1");
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", everyday_linker()?);
        }
        let status = command.status().context("cannot start cargo")?;
        ensure!(status.success(), "the page cannot be built: {status}");
        Ok(())
    }
}

/// The linker of the everyday compiler.
fn everyday_linker() -> Result<PathBuf> {
    let rustc = Path::new("rustc");
    let (root, host) = (printed(rustc, &["sysroot"])?, printed(rustc, &["host-tuple"])?);
    let linker = Path::new(&root).join("lib/rustlib").join(host).join("bin/rust-lld");
    ensure!(linker.is_file(), "{}: there is no linker", linker.display());
    Ok(linker)
}

/// What `rustc --print` says of `what`.
fn printed(rustc: &Path, what: &[&str]) -> Result<String> {
    output(Command::new(rustc).arg("--print").args(what))
}

/// The trimmed output of `command`.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Writes `module` with its script into `folder`.
fn bind(module: &Path, folder: &Path) -> Result<()> {
    let metadata = cargo_metadata::MetadataCommand::new().exec()?;
    let library = metadata.packages.iter().find(|package| package.name == "wasm-bindgen");
    let version = library.context("the page does not use wasm-bindgen")?.version.to_string();
    // Library and program understand each other only in one version.
    let tool = Tool {
        name: "wasm-bindgen",
        package: "wasm-bindgen-cli",
        version: &version,
        is_exact: true,
        // Encryption is for another of its programs.
        options: &["--no-default-features"],
    };
    let status = Command::new(tool.program()?)
        .args(["--target", "web", "--no-typescript"])
        .args(["--remove-name-section", "--remove-producers-section", "--out-dir"])
        .arg(folder)
        .arg(module)
        .status()
        .context("cannot start wasm-bindgen")?;
    ensure!(status.success(), "wasm-bindgen failed: {status}");
    Ok(())
}

/// The first version of `wasm-opt` that keeps tables of references right.
const OPTIMIZER: u32 = 117;

/// Makes `module` smaller by `wasm-opt`, where there is one that understands it.
fn shrink(module: &Path) -> Result<()> {
    let version = output(Command::new("wasm-opt").arg("--version")).unwrap_or_default();
    // "wasm-opt version 117 (version_117)"
    let number = version.split_whitespace().filter_map(|word| word.parse::<u32>().ok()).next();
    if number.is_none_or(|number| number < OPTIMIZER) {
        println!("{}: left as it is, there is no wasm-opt from {OPTIMIZER} on", module.display());
        return Ok(());
    }
    let smaller = module.with_extension("smaller");
    let mut command = Command::new("wasm-opt");
    command.args(["-O2", "--all-features", "--strip-debug", "-o"]).arg(&smaller).arg(module);
    let shrunk = command.output().context("cannot start wasm-opt")?;
    let told = String::from_utf8_lossy(&shrunk.stderr);
    ensure!(shrunk.status.success(), "{}: wasm-opt failed: {told}", module.display());
    fs::rename(&smaller, module)?;
    Ok(())
}
