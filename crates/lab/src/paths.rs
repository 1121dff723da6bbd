//! Files and folders named on the command line, by what is done with them, and the rule that no input is
//! overwritten.
//!
//! Every option that names a file has one of the types below. The rule reads them off the definition of
//! the command line, so that it holds for all commands and options alike.

use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Arg, ArgMatches, Command};

use crate::output::{Shown, escaped};
use touchback_core::files::draft;

macro_rules! path_types {
    ($($(#[$about:meta])* $name:ident)*) => {
        $(
            $(#[$about])*
            #[derive(Clone, PartialEq, Eq, Debug)]
            pub struct $name(PathBuf);

            impl From<OsString> for $name {
                fn from(path: OsString) -> Self {
                    Self(path.into())
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

path_types! {
    /// A file, or a folder of files, that is read.
    InputPath
    /// A folder of which every file is read, and for each of which the outputs are written to folders.
    BatchFolder
    /// A file that is written.
    OutputFile
    /// A file that is written, or a folder of such files where a [`BatchFolder`] is read.
    OutputPlace
    /// A folder in which files are written.
    OutputFolder
}

macro_rules! text_types {
    ($($(#[$about:meta])* $name:ident)*) => {
        $(
            $(#[$about])*
            #[derive(Clone, PartialEq, Eq, Debug)]
            pub struct $name(String);

            impl From<String> for $name {
                fn from(text: String) -> Self {
                    Self(text)
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

text_types! {
    /// A factory piano by its name, or a preset file, which ends in `.toml`.
    PianoName
    /// `ID=CURVE.csv`: a parameter and the file of its curve.
    CurveOption
    /// A serial port, or in its place a file.
    PortName
}

/// What is done with the file that an option names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It is read.
    Input,
    /// It is read where the text ends as a preset file does.
    Piano,
    /// What stands behind the first `=` is read.
    Curve,
    /// It is written.
    OutputFile,
    /// It is written, or files in it where a [`BatchFolder`] is read.
    OutputPlace,
    /// Files in it are written.
    OutputFolder,
}

impl Role {
    /// Of the values of `arg`; `None` where they name no file.
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
            (TypeId::of::<OutputPlace>(), Self::OutputPlace),
            (TypeId::of::<OutputFolder>(), Self::OutputFolder),
        ];
        roles.iter().find(|(id, _)| kind == *id).map(|(_, role)| *role)
    }
}

/// Refuses a command line that would overwrite what it reads, or write one file twice.
///
/// # Errors
/// Names the path.
pub fn refuse_overwriting(command: &Command, matches: &ArgMatches) -> Result<()> {
    if let Some((name, inner)) = matches.subcommand() {
        return command.find_subcommand(name).map_or(Ok(()), |c| refuse_overwriting(c, inner));
    }
    let given = |arg: &Arg| -> Vec<PathBuf> {
        let values = matches.get_raw(arg.get_id().as_str()).into_iter().flatten();
        values.map(PathBuf::from).collect()
    };
    let is_batch = command.get_arguments().any(|arg| {
        arg.get_value_parser().type_id() == std::any::TypeId::of::<BatchFolder>()
            && !given(arg).is_empty()
    });
    let (mut inputs, mut files, mut folders) = (Vec::new(), Vec::new(), Vec::new());
    for arg in command.get_arguments() {
        let Some(role) = Role::of(arg) else { continue };
        let paths = given(arg).into_iter();
        match role {
            Role::Input => inputs.extend(paths),
            Role::Piano => inputs.extend(paths.filter(|path| is_preset(path))),
            Role::Curve => inputs.extend(paths.filter_map(|option| curve_file(option.as_os_str()))),
            Role::OutputPlace if is_batch => folders.extend(paths),
            Role::OutputFile | Role::OutputPlace => files.extend(paths),
            Role::OutputFolder => folders.extend(paths),
        }
    }
    check(&inputs, &files, &folders)
}

/// Whether `name` is that of a preset file.
#[must_use]
pub fn is_preset(name: &Path) -> bool {
    name.extension().is_some_and(|e| e == touchback_instrument::preset::user_presets::EXTENSION)
}

fn curve_file(option: &OsStr) -> Option<PathBuf> {
    option.to_str()?.split_once('=').map(|(_, file)| file.into())
}

/// Refuses files that are outputs and inputs or outputs twice, and folders of outputs that are or hold
/// an input, by whatever names.
///
/// # Errors
/// Names the output, and the input where it is another.
pub fn check(
    inputs: &[impl AsRef<Path>],
    files: &[impl AsRef<Path>],
    folders: &[impl AsRef<Path>],
) -> Result<()> {
    let read: Vec<(&Path, Place)> =
        inputs.iter().map(|path| (path.as_ref(), Place::of(path.as_ref()))).collect();
    let mut written: Vec<Place> = Vec::new();
    for output in files.iter().map(AsRef::as_ref) {
        // A device takes any number.
        if std::fs::metadata(output).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            continue;
        }
        let place = Place::of(output);
        if read.iter().any(|(_, input)| *input == place) || written.contains(&place) {
            bail!("{}: is named twice; give every output its own file", output.shown());
        }
        written.push(place);
    }
    for folder in folders.iter().map(AsRef::as_ref) {
        let place = Place::of(folder);
        for (input, own) in &read {
            // A folder of inputs in it is not written to.
            let is_in = || !input.is_dir() && Place::of(draft::folder(&followed(input))) == place;
            if *own == place || is_in() {
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

/// What a path leads to, however it is spelled.
#[derive(PartialEq, Debug)]
enum Place {
    /// Something that is there.
    There(Identity),
    /// A name in a folder, where nothing is yet.
    New(Option<Identity>, OsString),
}

impl Place {
    fn of(path: &Path) -> Self {
        if let Some(identity) = identity(path) {
            return Self::There(identity);
        }
        let path = followed(path);
        let name = path.file_name().unwrap_or_default();
        // File systems of these tell no capitals from small letters.
        let name = match cfg!(any(windows, target_os = "macos")) {
            true => name.to_string_lossy().to_lowercase().into(),
            false => name.to_owned(),
        };
        Self::New(identity(draft::folder(&path)), name)
    }
}

/// Device and number of a file: the same by each of its names, links among them.
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
    fn an_input_is_an_output_by_none_of_its_names() {
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
                let told = check(&[input], &[output], &NONE).unwrap_err().to_string();
                assert!(told.ends_with("is named twice; give every output its own file"), "{told}");
            }
            let told = check(&[input], &NONE, &[dir.path()]).unwrap_err().to_string();
            assert!(told.contains(": holds the input "), "{told}");
            check(&[input], &NONE, &[at("sub/new")]).unwrap();
            check(&[input], &[at("b.wav"), at("b.csv")], &NONE).unwrap();
        }
        check(&NONE, &[at("b.wav"), at("sub/../b.wav")], &NONE).unwrap_err();
        check(&[at("sub")], &NONE, &[at("sub/.")]).unwrap_err();
        check(&[at("sub")], &NONE, &[dir.path()]).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_what_is_not_there_yet_is_that_file_and_a_device_takes_any_number() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::os::unix::fs::symlink("new.csv", at("link")).unwrap();
        check(&NONE, &[at("link"), at("new.csv")], &NONE).unwrap_err();
        check(&NONE, &[at("link"), at("other.csv")], &NONE).unwrap();
        let null = Path::new("/dev/null");
        check(&[null], &[null, null], &NONE).unwrap();
    }
}
