//! Files named on the command line, and output to the terminal.

use std::fs::File;
use std::io::{IsTerminal as _, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};

use touchback_core::files::draft::DraftError;
pub use touchback_core::files::draft::{Draft, is_stdout};
pub use touchback_core::files::folder::NewFolder;
use touchback_core::files::input;
pub use touchback_core::files::input::is_stdin;

/// A path as printed: on one line, whatever characters it contains.
pub trait Shown {
    /// With control characters escaped.
    fn shown(&self) -> String;
}

impl Shown for Path {
    fn shown(&self) -> String {
        escaped(&self.to_string_lossy())
    }
}

/// `text` with its control characters escaped.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// Creates the folder `path` for outputs; folders created here are removed on drop unless kept.
///
/// # Errors
/// Names the folder.
pub fn new_folder(path: &Path) -> Result<NewFolder> {
    NewFolder::create(path).with_context(|| format!("{}: cannot make this folder", path.shown()))
}

/// Reads a whole input file of at most `limit` bytes. Standard input is read once; it is the same at every call.
///
/// # Errors
/// When it is missing, no plain file, unreadable or larger; standard input that is a terminal.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    if input::is_stdin(path) {
        return read_stdin(path, limit);
    }
    // Opening a pipe without a writer blocks; a pipe made by a shell has a writer.
    if is_pipe_of_shell(path) {
        let pipe = File::open(path).with_context(|| format!("{}: cannot read", path.shown()))?;
        return Ok(input::read_all(path, pipe, limit)?);
    }
    Ok(input::read(path, limit)?)
}

fn read_stdin(path: &Path, limit: u64) -> Result<Vec<u8>> {
    static CONTENT: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(content) = CONTENT.get() {
        return Ok(content.clone());
    }
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        bail!("{}: is a terminal; redirect a file to it or pipe one into it", path.shown());
    }
    let content = input::read_all(path, stdin.lock(), limit)?;
    Ok(CONTENT.get_or_init(|| content).clone())
}

/// Whether `path` is a pipe that a process has open: `/dev/stdin`, or `<(command)`.
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
/// When it is missing, no plain file, unreadable, larger, or no text.
pub fn read_text(path: &Path, limit: u64) -> Result<String> {
    let text = String::from_utf8(read(path, limit)?);
    text.map_err(|_| input::InputError::Text(path.to_owned()).into())
}

/// Longest line of an error message, characters.
const LONGEST_LINE: usize = 500;

/// `text` with every line cut to `LONGEST_LINE` characters.
#[must_use]
pub fn bounded(text: &str) -> String {
    let short = |line: &str| match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{} … ({} characters)", &line[..end], line.chars().count()),
        None => line.to_owned(),
    };
    text.lines().map(short).collect::<Vec<_>>().join("\n")
}

/// Whether an output file is standard output.
static HAS_FILE: AtomicBool = AtomicBool::new(false);

/// [`print()`] from now on prints to stderr: an output file is standard output.
pub fn print_to_stderr() {
    HAS_FILE.store(true, Ordering::Relaxed);
}

/// Prints `text` to stdout, or to stderr after [`print_to_stderr`]; a closed pipe is no error.
///
/// # Errors
/// When stdout cannot be written.
pub fn print(text: &str) -> Result<()> {
    BARS.suspend(|| print_now(text))
}

fn print_now(text: &str) -> Result<()> {
    if HAS_FILE.load(Ordering::Relaxed) {
        let _ = std::io::stderr().write_all(text.as_bytes());
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(e).context("standard output: cannot write")
        }
        _ => Ok(()),
    }
}

/// Version of the program with its commit, once it is known.
static VERSION: OnceLock<&str> = OnceLock::new();

/// Sets the version that records state.
pub fn set_version(version: &'static str) {
    let _ = VERSION.set(version);
}

/// Version of the program, with its commit where it is known.
#[must_use]
pub fn version() -> &'static str {
    VERSION.get().copied().unwrap_or(env!("CARGO_PKG_VERSION"))
}

/// Whether messages that are no result are left out.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From now on nothing but results and errors is printed.
pub fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Prints a message that is no result, unless the program is quiet.
///
/// # Errors
/// Errors of [`print()`].
pub fn note(text: &str) -> Result<()> {
    if IS_QUIET.load(Ordering::Relaxed) { Ok(()) } else { print(text) }
}

/// Whether `error` says that the reader of standard output, which was an output file, needs no more of it.
#[must_use]
pub fn is_closed(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| matches!(cause.downcast_ref(), Some(DraftError::Closed)))
}

/// Standard output until its reader closes the pipe; further writes succeed and are discarded.
pub struct Stdout {
    out: std::io::StdoutLock<'static>,
    is_closed: bool,
}

impl Stdout {
    /// Locks standard output.
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

/// Prints `text`, a warning or an error, to stderr; errors are ignored. Warnings are left out if the program is quiet.
pub fn warn(text: &str) {
    if IS_QUIET.load(Ordering::Relaxed) && text.starts_with("warning: ") {
        return;
    }
    BARS.suspend(|| {
        let _ = writeln!(std::io::stderr(), "{}", bounded(text));
    });
}

/// All progress bars: experiments that run in parallel have one each.
static BARS: std::sync::LazyLock<indicatif::MultiProgress> =
    std::sync::LazyLock::new(indicatif::MultiProgress::new);

/// A progress bar on the terminal; hidden where stderr is no terminal.
#[must_use]
pub fn progress(steps: u64, what: &'static str) -> indicatif::ProgressBar {
    use std::io::IsTerminal;
    if !std::io::stderr().is_terminal() || IS_QUIET.load(Ordering::Relaxed) {
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

    #[cfg(unix)]
    #[test]
    fn only_plain_files_and_pipes_of_a_shell_are_read() {
        use std::os::fd::AsRawFd as _;
        let error = |path: &str| read(Path::new(path), 10).unwrap_err().to_string();
        assert_eq!(error("/dev/zero"), "/dev/zero: is not a plain file");
        assert_eq!(error("/dev"), "/dev: is a folder; name a file");
        let (pipe, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"words").unwrap();
        drop(writer);
        let open = format!("/dev/fd/{}", pipe.as_raw_fd());
        assert_eq!(read_text(Path::new(&open), 10).unwrap(), "words");
    }

    #[test]
    fn a_name_is_shown_on_one_line() {
        assert_eq!(Path::new("a\nb\u{1b}[1m ü").shown(), "a\\nb\\u{1b}[1m ü");
    }

    #[test]
    fn lines_are_bounded() {
        assert_eq!(bounded("one\ntwo"), "one\ntwo");
        let long = bounded(&"ä".repeat(100_000));
        assert!(long.ends_with("… (100000 characters)") && long.chars().count() < 600);
    }
}
