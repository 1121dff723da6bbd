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
    fn an_input_is_never_an_output() {
        let dir = tempfile::tempdir().unwrap();
        let a = dir.path().join("a.mid");
        std::fs::write(&a, b"x").unwrap();
        let same = dir.path().join(".").join("a.mid");
        assert!(distinct(&[&a], &[&same]).is_err());
        assert!(distinct(&[&a], &[&dir.path().join("b.wav"), &dir.path().join("b.csv")]).is_ok());
    }
}
