//! Types of command-line options that name files and folders, and the check that no output overwrites an
//! input. `-` is standard input or standard output.
//!
//! The check takes the types from the definition of the command line, so that it covers every option of
//! every command.

use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Arg, ArgMatches, Command};

use crate::output::{Shown, escaped};
use touchback_core::files::draft::{self, STDOUT, is_stdout};
use touchback_core::files::input::{STDIN, is_stdin};

macro_rules! path_types {
    ($($(#[$about:meta])* $name:ident = $stream:ident)*) => {
        $(
            $(#[$about])*
            #[derive(Clone, PartialEq, Eq, Debug)]
            pub struct $name(PathBuf);

            impl From<OsString> for $name {
                fn from(path: OsString) -> Self {
                    Self(named(&path, $stream))
                }
            }

            impl From<PathBuf> for $name {
                fn from(path: PathBuf) -> Self {
                    Self(path)
                }
            }

            impl Deref for $name {
                type Target = Path;

                fn deref(&self) -> &Path {
                    &self.0
                }
            }
        )*
    };
}

/// The path that `name` stands for: `-` is `stream`.
fn named(name: &OsStr, stream: &str) -> PathBuf {
    if name == "-" { stream.into() } else { name.into() }
}

path_types! {
    /// Input: a file, or a folder of files.
    InputPath = STDIN
    /// Input: a folder of which every file is read; outputs then name folders.
    BatchFolder = STDIN
    /// Output: a file.
    OutputFile = STDOUT
    /// Output: a file; with a [`BatchFolder`], several inputs, a folder or a list as input, a folder of such files.
    OutputFileOrFolder = STDOUT
    /// Output: a folder of files.
    OutputFolder = STDOUT
}

macro_rules! text_types {
    ($($(#[$about:meta])* $name:ident)*) => {
        $(
            $(#[$about])*
            #[derive(Clone, PartialEq, Eq, Debug)]
            pub struct $name(String);

            impl From<String> for $name {
                fn from(text: String) -> Self {
                    Self(with_stdin(text))
                }
            }

            impl Deref for $name {
                type Target = str;

                fn deref(&self) -> &str {
                    &self.0
                }
            }

            impl std::fmt::Display for $name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str(&escaped(&self.0))
                }
            }
        )*
    };
}

/// `text`, in which a file name `-`, alone or after `=`, is standard input.
fn with_stdin(text: String) -> String {
    match text.strip_suffix('-') {
        Some(before) if before.is_empty() || before.ends_with('=') => format!("{before}{STDIN}"),
        _ => text,
    }
}

text_types! {
    /// A factory piano by name, or a preset file, whose name ends in `.toml`.
    PianoName
    /// `ID=CURVE.csv`: a parameter and the file of a curve.
    CurveOption
    /// A serial port, or a file instead.
    PortName
}

/// Use of the file or folder that an option names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Read.
    Input,
    /// Read if the name ends as that of a preset file.
    Piano,
    /// The file after the first `=` is read.
    Curve,
    /// Written.
    OutputFile,
    /// Written; with a [`BatchFolder`] or several inputs, files in it are written.
    OutputFileOrFolder,
    /// Files in the folder are written.
    OutputFolder,
}

impl Role {
    /// Whether files are written.
    const fn is_output(self) -> bool {
        matches!(self, Self::OutputFile | Self::OutputFileOrFolder | Self::OutputFolder)
    }

    /// Role of the values of `arg`; `None` if they name no file.
    #[must_use]
    pub fn of(arg: &Arg) -> Option<Self> {
        use std::any::TypeId;
        let kind = arg.get_value_parser().type_id();
        let roles = [
            (TypeId::of::<InputPath>(), Self::Input),
            (TypeId::of::<BatchFolder>(), Self::Input),
            (TypeId::of::<PortName>(), Self::Input),
            (TypeId::of::<PianoName>(), Self::Piano),
            (TypeId::of::<CurveOption>(), Self::Curve),
            (TypeId::of::<OutputFile>(), Self::OutputFile),
            (TypeId::of::<OutputFileOrFolder>(), Self::OutputFileOrFolder),
            (TypeId::of::<OutputFolder>(), Self::OutputFolder),
        ];
        roles.iter().find(|(id, _)| kind == *id).map(|(_, role)| *role)
    }
}

/// Checks that no output of a command line overwrites an input, and that no file is written twice. Returns whether
/// standard output is a file.
///
/// # Errors
/// Names the path.
pub fn refuse_overwriting(command: &Command, matches: &ArgMatches) -> Result<bool> {
    if let Some((name, inner)) = matches.subcommand() {
        return command.find_subcommand(name).map_or(Ok(false), |c| refuse_overwriting(c, inner));
    }
    let given = |arg: &Arg| -> Vec<PathBuf> {
        let values = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
        let is_output = Role::of(arg).is_some_and(Role::is_output);
        values
            .map(|value| match value.to_str() {
                Some(text) if !is_output => with_stdin(text.to_owned()).into(),
                _ => named(value, STDOUT),
            })
            .collect()
    };
    let is_batch = command.get_arguments().any(|arg| {
        let kind = arg.get_value_parser().type_id();
        kind == std::any::TypeId::of::<BatchFolder>() && !given(arg).is_empty()
            || kind == std::any::TypeId::of::<InputPath>()
                && (given(arg).len() > 1
                    || arg.get_id() == "list" && !given(arg).is_empty()
                    || arg.is_positional() && given(arg).iter().any(|path| path.is_dir()))
    });
    let (mut inputs, mut files, mut folders) = (Vec::new(), Vec::new(), Vec::new());
    for arg in command.get_arguments() {
        let Some(role) = Role::of(arg) else { continue };
        let paths = given(arg).into_iter();
        match role {
            Role::Input => inputs.extend(paths),
            Role::Piano => inputs.extend(paths.filter(|path| is_preset(path))),
            Role::Curve => inputs.extend(paths.filter_map(|option| curve_file(option.as_os_str()))),
            Role::OutputFileOrFolder if is_batch => folders.extend(paths),
            Role::OutputFile | Role::OutputFileOrFolder => files.extend(paths),
            Role::OutputFolder => folders.extend(paths),
        }
    }
    // `simulate --stdin` reads one and writes the other.
    let [reads, writes] =
        ["stdin", "stdout"].map(|id| matches!(matches.try_get_one(id), Ok(Some(true))));
    inputs.extend(reads.then(|| STDIN.into()));
    files.extend((reads || writes).then(|| STDOUT.into()));
    let to_stdout = files.iter().filter(|file| is_stdout(file)).count();
    if let Some(folder) = folders.iter().find(|folder| is_stdout(folder)) {
        bail!("{}: is one file; name a folder for the outputs", folder.shown());
    }
    for (count, stream) in
        [(to_stdout, STDOUT), (inputs.iter().filter(|file| is_stdin(file)).count(), STDIN)]
    {
        if count > 1 {
            bail!("{stream}: is named twice; only one file can be `-`");
        }
    }
    check(&inputs, &files, &folders)?;
    // A folder is filled with files of names of its own.
    check(&files, &[] as &[&Path], &folders)?;
    Ok(to_stdout > 0)
}

/// Whether `name` is that of a preset file, or standard input.
#[must_use]
pub fn is_preset(name: &Path) -> bool {
    use touchback_instrument::host::preset::user_presets::EXTENSION;
    is_stdin(name) || name.extension().is_some_and(|ending| ending == EXTENSION)
}

fn curve_file(option: &OsStr) -> Option<PathBuf> {
    option.to_str()?.split_once('=').map(|(_, file)| file.into())
}

/// Checks that no output file is an input or a second output, and that no output folder is or contains an
/// input; links and different spellings of a path are resolved.
///
/// # Errors
/// Names the output, and the input if its name differs.
pub fn check(
    inputs: &[impl AsRef<Path>],
    files: &[impl AsRef<Path>],
    folders: &[impl AsRef<Path>],
) -> Result<()> {
    let read: Vec<(&Path, Location)> =
        inputs.iter().map(|path| (path.as_ref(), Location::of(path.as_ref()))).collect();
    let mut written: Vec<Location> = Vec::new();
    for output in files.iter().map(AsRef::as_ref) {
        // A device may be named several times.
        if std::fs::metadata(output).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            continue;
        }
        let location = Location::of(output);
        if read.iter().any(|(_, input)| *input == location) || written.contains(&location) {
            bail!("{}: is named twice; give every output its own file", output.shown());
        }
        written.push(location);
    }
    for folder in folders.iter().map(AsRef::as_ref) {
        let location = Location::of(folder);
        for (input, own) in &read {
            // A subfolder of inputs is not written to.
            let is_in =
                || !input.is_dir() && Location::of(draft::folder(&followed(input))) == location;
            if *own == location || is_in() {
                bail!(
                    "{}: holds the input {}; give the outputs another folder",
                    folder.shown(),
                    input.shown()
                );
            }
        }
    }
    Ok(())
}

fn followed(path: &Path) -> PathBuf {
    draft::followed(path).unwrap_or_else(|_| path.to_owned())
}

/// The file or folder that a path leads to, independent of its spelling.
#[derive(PartialEq, Debug)]
enum Location {
    /// An existing file or folder.
    Existing(Identity),
    /// A new name in a folder.
    New(Option<Identity>, OsString),
}

impl Location {
    fn of(path: &Path) -> Self {
        if let Some(identity) = identity(path) {
            return Self::Existing(identity);
        }
        let path = followed(path);
        let name = path.file_name().unwrap_or_default();
        // File systems of Windows and macOS do not distinguish case.
        let name = match cfg!(any(windows, target_os = "macos")) {
            true => name.to_string_lossy().to_lowercase().into(),
            false => name.to_owned(),
        };
        Self::New(identity(draft::folder(&path)), name)
    }
}

/// Device and inode of a file: the same for every name and link.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
}

#[cfg(not(unix))]
type Identity = same_file::Handle;

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<Identity> {
    same_file::Handle::from_path(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const NONE: [&Path; 0] = [];

    #[test]
    fn no_name_of_an_input_is_accepted_as_an_output() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("a.mid"), "x").unwrap();
        fs::hard_link(at("a.mid"), at("hard")).unwrap();
        let mut names = vec![at("a.mid"), at("./a.mid"), at("sub/../a.mid"), at("hard")];
        #[cfg(unix)]
        for (to, link) in [("a.mid", "link"), ("link", "second"), ("../a.mid", "sub/link")] {
            std::os::unix::fs::symlink(to, at(link)).unwrap();
            names.push(at(link));
        }
        if at("A.MID").exists() {
            names.push(at("A.MID"));
        }
        for input in &names {
            for output in &names {
                let error = check(&[input], &[output], &NONE).unwrap_err().to_string();
                assert!(
                    error.ends_with("is named twice; give every output its own file"),
                    "{error}"
                );
            }
            let error = check(&[input], &NONE, &[dir.path()]).unwrap_err().to_string();
            assert!(error.contains(": holds the input "), "{error}");
            check(&[input], &NONE, &[at("sub/new")]).unwrap();
            check(&[input], &[at("b.wav"), at("b.csv")], &NONE).unwrap();
        }
        check(&NONE, &[at("b.wav"), at("sub/../b.wav")], &NONE).unwrap_err();
        check(&[at("sub")], &NONE, &[at("sub/.")]).unwrap_err();
        check(&[at("sub")], &NONE, &[dir.path()]).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_missing_file_counts_as_that_file() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::os::unix::fs::symlink("new.csv", at("link")).unwrap();
        check(&NONE, &[at("link"), at("new.csv")], &NONE).unwrap_err();
        check(&NONE, &[at("link"), at("other.csv")], &NONE).unwrap();
        let null = Path::new("/dev/null");
        check(&[null], &[null, null], &NONE).unwrap();
    }
}
