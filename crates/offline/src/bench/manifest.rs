//! The contents of an output folder with their origin: `manifest.json`, and the same as `README.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::output::Shown as _;
use touchback_core::files::input;

/// File name of the manifest.
pub const MANIFEST: &str = "manifest.json";
/// Largest manifest that is read, bytes.
const LIMIT: u64 = 16_000_000;
/// File name of the page.
pub const README: &str = "README.md";

/// One written file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WrittenFile {
    name: String,
    bytes: u64,
    sha256: String,
}

/// The machine that a run was made on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Machine {
    system: String,
    processor: String,
    cores: usize,
    kernel: String,
}

/// One experiment's run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    about: String,
    /// Differences from the standard piano; `None` for the standard piano.
    #[serde(default)]
    own_numbers: Option<String>,
    version: String,
    command: Vec<String>,
    machine: Machine,
    /// Time of its end, RFC 3339, UTC.
    ended: String,
    seconds: f64,
    targets: usize,
    missed: usize,
    files: Vec<WrittenFile>,
}

/// The experiments whose files are in the folder, by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Manifest {
    experiments: BTreeMap<String, Entry>,
}

/// A finished experiment, for the manifest.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// Name.
    pub name: &'a str,
    /// Description in one sentence.
    pub about: &'a str,
    /// Differences from the standard piano; `None` for the standard piano.
    pub own_numbers: Option<&'a str>,
    /// Duration, s.
    pub seconds: f64,
    /// Number of targets, and of missed ones.
    pub count: (usize, usize),
    /// Paths of its files in the folder.
    pub files: &'a [PathBuf],
}

impl Manifest {
    /// The manifest in the folder `path` with the entries of earlier runs; empty if there is none or it
    /// cannot be read.
    #[must_use]
    pub fn of(path: &Path) -> Self {
        let read = |bytes: Vec<u8>| serde_json::from_slice(&bytes).ok();
        input::read(&path.join(MANIFEST), LIMIT).ok().and_then(read).unwrap_or_default()
    }

    /// Enters an experiment, replacing an earlier run of it.
    ///
    /// # Errors
    /// One of its files cannot be read.
    pub fn enter(&mut self, done: &Finished<'_>) -> Result<()> {
        let files = done.files.iter().map(|path| written(path)).collect::<Result<Vec<_>>>()?;
        let kernel = touchback_core::math::kernel::Kernel::detect();
        let machine = Machine {
            system: std::env::consts::OS.into(),
            processor: std::env::consts::ARCH.into(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            kernel: format!("{kernel:?}"),
        };
        let entry = Entry {
            about: done.about.into(),
            own_numbers: done.own_numbers.map(Into::into),
            version: env!("CARGO_PKG_VERSION").into(),
            command: std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect(),
            machine,
            ended: OffsetDateTime::now_utc().format(&Rfc3339)?,
            seconds: done.seconds,
            targets: done.count.0,
            missed: done.count.1,
            files,
        };
        self.experiments.insert(done.name.into(), entry);
        Ok(())
    }

    /// The manifest as JSON.
    ///
    /// # Errors
    /// None in practice: the writer writes to memory.
    pub fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The manifest as Markdown.
    #[must_use]
    pub fn page(&self) -> String {
        let mut text = String::from(HEAD);
        for (name, e) in &self.experiments {
            let met = match e.targets {
                0 => String::new(),
                all => format!("{} of {all} targets met, ", all - e.missed),
            };
            let own = e.own_numbers.as_ref();
            let own = own.map_or(String::new(), |t| format!("Custom parameters: {t}. "));
            let _ = write!(text, "\n## {name}\n\n{} {own}{met}{:.1} s.\n\n", e.about, e.seconds);
            for file in &e.files {
                let _ = writeln!(text, "- `{}`: {}", file.name, what(&file.name, name));
            }
        }
        text
    }
}

const HEAD: &str = "# Data of the laboratory\n\n\
Written by `touchback lab`. `manifest.json` has the version, command, machine, time and duration of every \
experiment, and the size and SHA-256 of every file.\n\n\
Tables are CSV with a header; a column's name ends with its unit (`_m_s` is m/s, `_n_m` N/m, `_n_s_m` \
N·s/m); columns of names, counts, hashes and shares have no unit. `NAME.json` is the table of targets of an \
experiment: quantity, unit, target, the accepted band from low to high (`null`: no \
limit), the measured value (`null`: no number; `found` is what was printed), the verdict `ok` or \
`missed`, and the place in the source documents.\n";

/// Kind of a file of an experiment.
fn what(file: &str, experiment: &str) -> &'static str {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "json" if file == format!("{experiment}.json") => "targets, measured values and verdicts",
        "csv" => "data",
        "png" | "svg" => "figure",
        "wav" => "sound",
        "md" => "page",
        "json" => "the same for programs",
        _ => "other",
    }
}

fn written(path: &Path) -> Result<WrittenFile> {
    let (bytes, sha256) = sha256_of(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(WrittenFile { name, bytes, sha256 })
}

/// Length in bytes and SHA-256 of the file at `path`.
///
/// # Errors
/// A file that cannot be read.
pub fn sha256_of(path: &Path) -> Result<(u64, String)> {
    let show = || format!("{}: cannot read it again", path.shown());
    hash(&mut input::open(path)?).with_context(show)
}

/// Length in bytes and SHA-256 of the content of `file`.
///
/// # Errors
/// A file that cannot be read.
pub fn hash(file: &mut impl Read) -> Result<(u64, String)> {
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let mut part = vec![0; 1 << 16];
    loop {
        let got = file.read(&mut part)?;
        if got == 0 {
            break;
        }
        hash.update(&part[..got]);
        bytes += got as u64;
    }
    let mut sha256 = String::new();
    for byte in hash.finalize() {
        let _ = write!(sha256, "{byte:02x}");
    }
    Ok((bytes, sha256))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_run_replaces_only_its_own_entry() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("ball.csv");
        std::fs::write(&file, "abc").unwrap();
        fn done<'a>(name: &'a str, files: &'a [PathBuf]) -> Finished<'a> {
            Finished {
                name,
                about: "Drops it.",
                own_numbers: None,
                seconds: 1.0,
                count: (3, 1),
                files,
            }
        }
        let mut manifest = Manifest::of(dir.path());
        manifest.enter(&done("ball", &[file])).unwrap();
        std::fs::write(dir.path().join(MANIFEST), manifest.json().unwrap()).unwrap();
        let mut manifest = Manifest::of(dir.path());
        manifest.enter(&done("walls", &[])).unwrap();
        let page = manifest.page();
        assert!(page.contains("## ball") && page.contains("- `ball.csv`: data"), "{page}");
        assert!(page.contains("## walls") && page.contains("2 of 3 targets met"), "{page}");
        let text = manifest.json().unwrap();
        // SHA-256 of "abc" [FIPS 180-4, appendix B.1].
        assert!(text.contains("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        std::fs::write(dir.path().join(MANIFEST), "{").unwrap();
        assert!(Manifest::of(dir.path()).experiments.is_empty());
    }
}
