//! Output files that are whole or absent: written beside the target, renamed at the end.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// A file being written; dropped without [`Draft::keep`] it leaves nothing behind.
#[derive(Debug)]
pub struct Draft {
    target: PathBuf,
    temporary: PathBuf,
    kept: bool,
}

impl Draft {
    /// Reserves a hidden temporary file in the folder of `target`, with the same extension.
    ///
    /// # Errors
    /// When the folder cannot be written or `target` is something other than a plain file.
    pub fn create(target: &Path) -> Result<Self> {
        let show = target.display();
        let Some(name) = target.file_name() else { bail!("{show}: not a file name") };
        match std::fs::metadata(target) {
            Ok(m) if m.is_dir() => bail!("{show}: is a folder; name a file"),
            Ok(m) if !m.is_file() => bail!("{show}: is not a plain file"),
            _ => {}
        }
        let folder = match target.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        let mut hidden = std::ffi::OsString::from(format!(".partial-{}-", std::process::id()));
        hidden.push(name);
        let temporary = folder.join(hidden);
        File::create(&temporary).with_context(|| format!("{show}: cannot write there"))?;
        Ok(Self { target: target.to_owned(), temporary, kept: false })
    }

    /// Where to write.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// The file's final place.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// A buffered writer from the beginning of the file.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn writer(&self) -> Result<BufWriter<File>> {
        let file = File::create(&self.temporary)
            .with_context(|| format!("{}: cannot write", self.target.display()))?;
        Ok(BufWriter::new(file))
    }

    /// Writes `bytes` as the whole content.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_all(&self, bytes: &[u8]) -> Result<()> {
        let mut writer = self.writer()?;
        writer
            .write_all(bytes)
            .and_then(|()| writer.flush())
            .with_context(|| format!("{}: cannot write", self.target.display()))
    }

    /// Puts the finished file in its place.
    ///
    /// # Errors
    /// When the rename fails.
    pub fn keep(mut self) -> Result<()> {
        std::fs::rename(&self.temporary, &self.target)
            .with_context(|| format!("{}: cannot write", self.target.display()))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.kept {
            // Nothing more can be done about a temporary file that will not go.
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

/// Refuses outputs that would overwrite an input or each other.
///
/// # Errors
/// Names the path used twice.
pub fn distinct(inputs: &[&Path], outputs: &[&Path]) -> Result<()> {
    let real = |p: &Path| -> PathBuf {
        let name = p.file_name().unwrap_or_default();
        let folder = match p.parent() {
            Some(f) if !f.as_os_str().is_empty() => f,
            _ => Path::new("."),
        };
        p.canonicalize()
            .or_else(|_| folder.canonicalize().map(|f| f.join(name)))
            .unwrap_or(p.into())
    };
    let mut seen: Vec<PathBuf> = inputs.iter().map(|p| real(p)).collect();
    for output in outputs {
        let path = real(output);
        if seen.contains(&path) {
            bail!("{}: is named twice; give every output its own file", output.display());
        }
        seen.push(path);
    }
    Ok(())
}

/// Reads a whole input file of at most `limit` bytes.
///
/// # Errors
/// When it is missing, unreadable or larger.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    use std::io::Read;
    let show = path.display();
    let file = File::open(path).with_context(|| format!("{show}: cannot read"))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        bail!("{show}: is a folder; name a file");
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).with_context(|| format!("{show}: cannot read"))?;
    if bytes.len() as u64 > limit {
        bail!("{show}: larger than {} MB", limit / 1_000_000);
    }
    Ok(bytes)
}

/// Prints `text` to stdout; a reader that has seen enough is no failure.
///
/// # Errors
/// When stdout cannot be written.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(e).context("standard output: cannot write")
        }
        _ => Ok(()),
    }
}

/// Prints one line to stderr; nothing can be done where that fails.
pub fn warn(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// All bars of the terminal: experiments that run beside each other have one each.
static BARS: std::sync::LazyLock<indicatif::MultiProgress> =
    std::sync::LazyLock::new(indicatif::MultiProgress::new);

/// A progress bar on the terminal; silent elsewhere.
#[must_use]
pub fn progress(steps: u64, what: &'static str) -> indicatif::ProgressBar {
    use std::io::IsTerminal;
    if !std::io::stderr().is_terminal() {
        return indicatif::ProgressBar::hidden();
    }
    let style = indicatif::ProgressStyle::with_template("{msg} [{bar:40}] {percent:>3} %  {eta}")
        .unwrap_or_else(|_| indicatif::ProgressStyle::default_bar())
        .progress_chars("=> ");
    BARS.add(indicatif::ProgressBar::new(steps)).with_style(style).with_message(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_draft_leaves_nothing_and_a_kept_one_everything() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("a.txt");
        let draft = Draft::create(&target).unwrap();
        draft.write_all(b"half").unwrap();
        drop(draft);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let draft = Draft::create(&target).unwrap();
        draft.write_all(b"whole").unwrap();
        draft.keep().unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"whole");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_input_is_never_an_output() {
        let dir = tempfile::tempdir().unwrap();
        let a = dir.path().join("a.mid");
        std::fs::write(&a, b"x").unwrap();
        let same = dir.path().join(".").join("a.mid");
        assert!(distinct(&[&a], &[&same]).is_err());
        assert!(distinct(&[&a], &[&dir.path().join("b.wav"), &dir.path().join("b.csv")]).is_ok());
    }
}
