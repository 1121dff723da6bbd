//! Release archives: plugins, command, presets, an install page and script, licences; with maturin, the Python
//! package too.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest as _, Sha256};

use crate::bundle::{
    self, BUNDLES, COMMAND, CROSS, PROGRAM, RELEASE, built_command, cargo, copy, files, presets,
    remove, run_command, target_folder,
};
use crate::licenses::{self, HOST};
use crate::{build_paths, wheel};

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The application of `touchback play`.
const PLAY: &str = "touchback-play";
/// Arguments that build it.
const BUILD_PLAY: [&str; 8] =
    ["build", "--release", "-p", "touchback", "--features", "standalone", "--bin", PLAY];
const WINDOWS: &str = "x86_64-pc-windows-gnu";

/// Builds and packs into `target/dist`; writes checksums of all archives there to `SHA256SUMS`.
pub(crate) fn run(options: &[String]) -> Result<()> {
    nice_plug_xtask::chdir_workspace_root()?;
    let is_windows = match options {
        [] => false,
        [option] if option == "--windows" => true,
        _ => bail!("cargo xtask dist takes --windows or nothing"),
    };
    ensure!(
        !is_windows || cfg!(target_os = "linux"),
        "--windows builds for Windows on Linux; on Windows leave it out"
    );
    let target = if is_windows { WINDOWS } else { HOST };
    check_tools(is_windows)?;
    let name = format!("touchback-{VERSION}-{}", system(target));
    let dist = Path::new("target/dist");
    let folder = dist.join(&name);
    remove(&folder)?;
    fs::create_dir_all(&folder)?;
    let missing = missing_for_play(target);
    let mut features = vec!["touchback-command/window"];
    features.extend(missing.is_none().then_some("standalone"));
    let licences = licenses::of(COMMAND, target, &features)?;
    // `licenses::of` has fetched all sources, so their paths are known.
    let places = build_paths::places()?;
    build_paths::leave_out(&places)?;
    let program =
        if cfg!(target_os = "macos") { universal(&folder)? } else { build(is_windows, &folder)? };
    let inside = folder.join("Touchback.vst3/Contents/Resources");
    fs::create_dir_all(&inside)?;
    for place in [&folder, &inside] {
        fs::write(place.join("LICENSES.txt"), &licences)?;
    }
    copy(&program, &folder.join(program.file_name().context("the command has a name")?))?;
    match missing {
        Some(reason) => eprintln!("no {PLAY}: {reason}"),
        None => play(target, is_windows, &folder)?,
    }
    build_paths::refuse_in(&folder, &places)?;
    let own = if is_windows { built_command()? } else { program };
    presets(&own, &folder.join("presets"))?;
    run_command(Command::new(&own).arg("--manual").arg(folder.join("manual")))?;
    let script = if target.contains("windows") { "install.bat" } else { "install.sh" };
    for file in ["INSTALL.md", script] {
        copy(&Path::new("packaging").join(file), &folder.join(file))?;
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        copy(Path::new(file), &folder.join(file))?;
    }
    if target.contains("linux") {
        tar(&folder, &name, &dist.join(format!("{name}.tar.gz")))?;
        debian(&folder, dist, target)?;
    } else {
        zip(&folder, &name, &dist.join(format!("{name}.zip")))?;
    }
    if target == HOST && wheel::can_build() {
        wheel::build(None)?;
    }
    sums(dist)
}

/// Checks for the tools of the build that cargo does not install, before minutes of compiling.
///
/// # Errors
/// Names the missing tool and where it comes from.
fn check_tools(is_windows: bool) -> Result<()> {
    let needs = |program: &str, from: &str| {
        let is_there = Command::new(program).arg("--version").output().is_ok();
        ensure!(is_there, "{program} is missing: {from}");
        Ok(())
    };
    if is_windows {
        needs("x86_64-w64-mingw32-gcc", "install the package gcc-mingw-w64-x86-64")?;
        let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output();
        let sysroot = sysroot.context("cannot start rustc")?.stdout;
        let library = Path::new(String::from_utf8_lossy(&sysroot).trim())
            .join("lib/rustlib/src/rust/library/std");
        let path = library.display();
        ensure!(library.is_dir(), "{path} is missing: rustup component add rust-src");
    } else if cfg!(target_os = "macos") {
        needs("lipo", "install the command line tools of Xcode")?;
        needs("codesign", "install the command line tools of Xcode")?;
    }
    Ok(())
}

/// Builds plugin and command in one call and copies the bundles to `folder`; returns the command's path.
fn build(is_windows: bool, folder: &Path) -> Result<PathBuf> {
    let (built, library) = if is_windows {
        // The standard library is built too, so that no toolchain for Windows is needed.
        let cross = ["--target", WINDOWS, "-Zbuild-std=std,panic_unwind"];
        cargo(RELEASE.iter().chain(&cross))?;
        (Path::new(CROSS).join(WINDOWS).join("release"), "touchback.dll")
    } else {
        cargo(&RELEASE)?;
        let target = target_folder();
        let library = if cfg!(windows) { "touchback.dll" } else { "libtouchback.so" };
        (target.join("release"), library)
    };
    let is_windows = is_windows || cfg!(windows);
    let machine = std::env::consts::ARCH;
    let place = match is_windows {
        true => format!("{machine}-win/Touchback.vst3"),
        false => format!("{machine}-linux/Touchback.so"),
    };
    copy(&built.join(library), &folder.join("Touchback.clap"))?;
    copy(&built.join(library), &folder.join("Touchback.vst3/Contents").join(place))?;
    Ok(built.join(if is_windows { "touchback.exe" } else { PROGRAM }))
}

/// [`build`] for macOS: universal binaries for both processors, signed ad hoc, as macOS requires.
fn universal(folder: &Path) -> Result<PathBuf> {
    let target_folder = target_folder();
    let program = target_folder.join("universal").join(PROGRAM);
    fs::create_dir_all(target_folder.join("universal"))?;
    let mut lipo = Command::new("lipo");
    lipo.arg("-create").arg("-output").arg(&program);
    for target in ["aarch64-apple-darwin", "x86_64-apple-darwin"] {
        cargo(RELEASE.iter().chain(&["--target", target]))?;
        lipo.arg(target_folder.join(target).join("release").join(PROGRAM));
    }
    bundle::bundle(["bundle-universal", "touchback", "--release"].map(str::to_owned))?;
    for bundle in BUNDLES {
        copy(&target_folder.join("bundled").join(bundle), &folder.join(bundle))?;
    }
    run_command(&mut lipo)?;
    run_command(Command::new("codesign").args(["--force", "--sign", "-"]).arg(&program))?;
    Ok(program)
}

/// Builds the application `touchback play` into `folder`. A program of its own: the command starts where the
/// libraries of the audio system are missing.
fn play(target: &str, is_windows: bool, folder: &Path) -> Result<()> {
    if cfg!(target_os = "macos") {
        let both = ["aarch64-apple-darwin", "x86_64-apple-darwin"];
        let mut lipo = Command::new("lipo");
        lipo.arg("-create").arg("-output").arg(folder.join(PLAY));
        for target in both {
            cargo(BUILD_PLAY.iter().chain(&["--target", target]))?;
            lipo.arg(target_folder().join(target).join("release").join(PLAY));
        }
        run_command(&mut lipo)?;
        let mut sign = Command::new("codesign");
        return run_command(sign.args(["--force", "--sign", "-"]).arg(folder.join(PLAY)));
    }
    let release = if is_windows {
        let cross = ["--target", WINDOWS, "-Zbuild-std=std,panic_unwind"];
        cargo(BUILD_PLAY.iter().chain(&cross))?;
        Path::new(CROSS).join(WINDOWS).join("release")
    } else {
        cargo(&BUILD_PLAY)?;
        target_folder().join("release")
    };
    let name = if target.contains("windows") { format!("{PLAY}.exe") } else { PLAY.to_owned() };
    copy(&release.join(&name), &folder.join(&name))
}

/// Why the application cannot be built for `target`; none where it can.
fn missing_for_play(target: &str) -> Option<&'static str> {
    let has = |library: &str| {
        let found = Command::new("pkg-config").args(["--exists", library]).status();
        found.is_ok_and(|status| status.success())
    };
    let is_missing = target.contains("linux") && !(has("alsa") && has("jack"));
    is_missing.then_some("install pkg-config, libasound2-dev and libjack-jackd2-dev")
}

/// The system's part of an archive's name.
fn system(target: &str) -> String {
    if target.contains("apple") {
        return "macos-universal".to_owned();
    }
    let machine = target.split('-').next().unwrap_or(target);
    let name = if target.contains("windows") { "windows" } else { "linux" };
    format!("{name}-{machine}")
}

fn is_program(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let ending = path.extension().unwrap_or_default();
    name == "touchback"
        || name == PLAY
        || name == "Touchback"
        || ["clap", "so", "sh", "exe"].iter().any(|e| ending == OsStr::new(e))
}

fn tar(folder: &Path, name: &str, archive: &Path) -> Result<()> {
    let file = File::create(archive).with_context(|| archive.display().to_string())?;
    let packed = flate2::write::GzEncoder::new(file, flate2::Compression::best());
    let mut tar = tar::Builder::new(packed);
    for path in files(folder)? {
        let bytes = fs::read(folder.join(&path))?;
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(if is_program(&path) { 0o755 } else { 0o644 });
        tar.append_data(&mut header, Path::new(name).join(&path), bytes.as_slice())?;
    }
    tar.into_inner()?.finish()?;
    Ok(())
}

fn zip(folder: &Path, name: &str, archive: &Path) -> Result<()> {
    let file = File::create(archive).with_context(|| archive.display().to_string())?;
    let mut zip = zip::ZipWriter::new(file);
    for path in files(folder)? {
        let mode = if is_program(&path) { 0o755 } else { 0o644 };
        let options = zip::write::SimpleFileOptions::default().unix_permissions(mode);
        let inside = Path::new(name).join(&path).to_string_lossy().replace('\\', "/");
        zip.start_file(inside, options)?;
        zip.write_all(&fs::read(folder.join(&path))?)?;
    }
    zip.finish()?;
    Ok(())
}

/// A Debian package that installs for all users of a machine; skipped without `dpkg-deb`.
fn debian(folder: &Path, dist: &Path, target: &str) -> Result<()> {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        eprintln!("no Debian package: dpkg-deb is not installed");
        return Ok(());
    }
    let machine = if target.starts_with("aarch64") { "arm64" } else { "amd64" };
    let root = tempfile::tempdir()?;
    let tree = root.path();
    let mut audio = "";
    if folder.join(PLAY).exists() {
        copy(&folder.join(PLAY), &tree.join("usr/bin").join(PLAY))?;
        audio = ", libasound2 | libasound2t64, libjack-jackd2-0 | libjack0";
    }
    for (from, to) in [
        ("Touchback.clap", "usr/lib/clap/Touchback.clap"),
        ("Touchback.vst3", "usr/lib/vst3/Touchback.vst3"),
        ("presets", "usr/share/vst3/presets/Touchback/Touchback"),
        ("manual/man", "usr/share/man/man1"),
        ("manual/completions/touchback.bash", "usr/share/bash-completion/completions/touchback"),
        ("manual/completions/touchback.zsh", "usr/share/zsh/vendor-completions/_touchback"),
        ("manual/completions/touchback.fish", "usr/share/fish/vendor_completions.d/touchback.fish"),
        ("touchback", "usr/bin/touchback"),
        ("LICENSES.txt", "usr/share/doc/touchback/copyright"),
        ("INSTALL.md", "usr/share/doc/touchback/INSTALL.md"),
    ] {
        copy(&folder.join(from), &tree.join(to))?;
    }
    let size: u64 = files(tree)?
        .iter()
        .map(|path| tree.join(path).metadata().map_or(0, |data| data.len().div_ceil(1024)))
        .sum();
    fs::create_dir_all(tree.join("DEBIAN"))?;
    fs::write(
        tree.join("DEBIAN/control"),
        format!(
            "Package: touchback\nVersion: {VERSION}\nArchitecture: {machine}\nSection: sound\n\
             Priority: optional\nMaintainer: The authors of Touchback <touchback@localhost>\n\
             Installed-Size: {size}\nDepends: libc6 (>= 2.34), libgcc-s1\n\
             Recommends: libgl1, libx11-6, libx11-xcb1, libxcursor1{audio}\n\
             Description: grand piano whose action is simulated, key by key\n \
             CLAP and VST3 plugin with its window, and the command touchback.\n"
        ),
    )?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(tree, fs::Permissions::from_mode(0o755))?;
        for path in files(tree)? {
            let mode = if is_program(&path) { 0o755 } else { 0o644 };
            fs::set_permissions(tree.join(path), fs::Permissions::from_mode(mode))?;
        }
    }
    let package = dist.join(format!("touchback_{VERSION}_{machine}.deb"));
    run_command(
        Command::new("dpkg-deb").args(["--root-owner-group", "--build"]).args([tree, &package]),
    )
}

/// Checksums of every archive, in the format of `sha256sum -c`.
fn sums(dist: &Path) -> Result<()> {
    let mut text = String::new();
    let is_archive = |path: &Path| {
        path.extension().is_some_and(|e| ["gz", "zip", "deb"].iter().any(|ending| e == *ending))
    };
    let mut archives: Vec<_> = fs::read_dir(dist)?
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| is_archive(p))
        .collect();
    archives.sort();
    for path in archives {
        let mut bytes = Vec::new();
        File::open(&path)?.read_to_end(&mut bytes)?;
        let sum: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        text += &format!("{sum}  {name}\n");
        eprintln!("{} ({:.1} MB)", path.display(), bytes.len() as f64 / 1e6);
    }
    fs::write(dist.join("SHA256SUMS"), text)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_named_by_system_and_machine() {
        for (target, name) in [
            ("x86_64-unknown-linux-gnu", "linux-x86_64"),
            ("aarch64-unknown-linux-gnu", "linux-aarch64"),
            (WINDOWS, "windows-x86_64"),
            ("aarch64-apple-darwin", "macos-universal"),
        ] {
            assert_eq!(system(target), name);
        }
    }

    #[test]
    fn an_archive_holds_the_folder_with_its_programs_and_its_sum() {
        let work = tempfile::tempdir().unwrap();
        let folder = work.path().join("x");
        fs::create_dir_all(folder.join("Touchback.vst3/Contents")).unwrap();
        fs::write(folder.join("Touchback.vst3/Contents/Touchback.so"), "library").unwrap();
        fs::write(folder.join("INSTALL.md"), "page").unwrap();
        tar(&folder, "x-1", &work.path().join("x.tar.gz")).unwrap();
        zip(&folder, "x-1", &work.path().join("x.zip")).unwrap();
        let file = File::open(work.path().join("x.tar.gz")).unwrap();
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(file));
        let held: Vec<_> = tar
            .entries()
            .unwrap()
            .map(|e| e.unwrap())
            .map(|e| (e.path().unwrap().display().to_string(), e.header().mode().unwrap()))
            .collect();
        let library = "x-1/Touchback.vst3/Contents/Touchback.so".to_owned();
        assert_eq!(held, [("x-1/INSTALL.md".to_owned(), 0o644), (library.clone(), 0o755)]);
        let mut zip = zip::ZipArchive::new(File::open(work.path().join("x.zip")).unwrap()).unwrap();
        let mut text = String::new();
        zip.by_name(&library).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "library");
        sums(work.path()).unwrap();
        let sums = fs::read_to_string(work.path().join("SHA256SUMS")).unwrap();
        assert!(sums.lines().count() == 2 && sums.lines().all(|line| line.len() > 66), "{sums}");
    }
}
