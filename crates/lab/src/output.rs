//! Files named on the command line, and what is said on the terminal.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

pub use touchback::preset::draft::Draft;

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
        // A device takes any number.
        if std::fs::metadata(output).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
            continue;
        }
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
    // Opening a pipe without a writer would wait for one; one that a shell made has a writer.
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) && !is_pipe_of_shell(path)
    {
        bail!("{show}: is not a plain file");
    }
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

/// A pipe that a process has open: `/dev/stdin`, or `<(command)`.
fn is_pipe_of_shell(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let is_pipe = std::fs::metadata(path).is_ok_and(|m| m.file_type().is_fifo());
        is_pipe && (path.starts_with("/dev") || path.starts_with("/proc"))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Reads a whole text file of at most `limit` bytes.
///
/// # Errors
/// When it is missing, unreadable, larger, or no text.
pub fn read_text(path: &Path, limit: u64) -> Result<String> {
    let text = String::from_utf8(read(path, limit)?);
    text.map_err(|_| anyhow::anyhow!("{}: is no text in UTF-8", path.display()))
}

/// Longest line of an error, characters.
const LONGEST_LINE: usize = 500;

/// `text` with no line longer than people read.
#[must_use]
pub fn bounded(text: &str) -> String {
    let short = |line: &str| match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{} … ({} characters)", &line[..end], line.chars().count()),
        None => line.to_owned(),
    };
    text.lines().map(short).collect::<Vec<_>>().join("\n")
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

/// Standard output until its reader has seen enough; from then on nothing is written, which is no
/// failure.
pub struct Stdout {
    out: std::io::StdoutLock<'static>,
    is_closed: bool,
}

impl Stdout {
    /// Locks it.
    #[must_use]
    pub fn locked() -> Self {
        Self { out: std::io::stdout().lock(), is_closed: false }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        match self.out.write(bytes) {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(bytes.len())
            }
            other => other,
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self.out.flush() {
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        }
    }
}

/// Prints one line to stderr; nothing can be done where that fails.
pub fn warn(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", bounded(text));
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
    fn an_input_is_never_an_output() {
        let dir = tempfile::tempdir().unwrap();
        let a = dir.path().join("a.mid");
        std::fs::write(&a, b"x").unwrap();
        let same = dir.path().join(".").join("a.mid");
        assert!(distinct(&[&a], &[&same]).is_err());
        assert!(distinct(&[&a], &[&dir.path().join("b.wav"), &dir.path().join("b.csv")]).is_ok());
        #[cfg(unix)]
        {
            let link = dir.path().join("link");
            std::os::unix::fs::symlink("a.mid", &link).unwrap();
            assert!(distinct(&[&a], &[&link]).is_err());
            let null = Path::new("/dev/null");
            assert!(distinct(&[&a], &[null, null]).is_ok());
            let error = |path: &str| read(Path::new(path), 10).unwrap_err().to_string();
            assert_eq!(error("/dev/zero"), "/dev/zero: is not a plain file");
            assert_eq!(error("/dev"), "/dev: is a folder; name a file");
        }
    }

    #[test]
    fn lines_are_bounded() {
        assert_eq!(bounded("one\ntwo"), "one\ntwo");
        let long = bounded(&"ä".repeat(100_000));
        assert!(long.ends_with("… (100000 characters)") && long.chars().count() < 600);
    }
}
