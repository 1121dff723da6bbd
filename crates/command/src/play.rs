//! `touchback play`: the stand-alone instrument with its own window, audio and MIDI.
//!
//! Audio and MIDI are the plugin framework's standalone backends (JACK, ALSA, CoreAudio, WASAPI), which need
//! system libraries to build and to start: they are in this program only with the feature `standalone`. Without
//! it, `touchback play` starts the program `touchback-play` from its own folder, which the archives have.

#[cfg(not(feature = "standalone"))]
use std::{path::PathBuf, process::Command};

#[cfg(not(feature = "standalone"))]
use anyhow::{Context as _, Result, bail};

/// Options of `touchback play`, passed to the audio and MIDI backends.
#[derive(clap::Args, Debug)]
pub struct PlayOptions {
    /// Options of the audio and MIDI backends; `touchback play --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    backend: Vec<String>,
}

/// Help of a build without the feature `standalone`.
#[cfg(not(feature = "standalone"))]
const HELP: &str = "\
Opens the instrument as an application with its own audio and MIDI.

The program touchback-play, which does this, is not beside this command: it was built where the libraries of the
audio system were missing. Build it with

  cargo build --release --features standalone

on Linux with the packages libasound2-dev and libjack-jackd2-dev, or load the plugin in a host.
";

/// The program that opens the instrument, if it is beside this one.
#[cfg(not(feature = "standalone"))]
fn beside() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?.canonicalize().ok()?;
    let program = own.with_file_name(format!("touchback-play{}", std::env::consts::EXE_SUFFIX));
    program.is_file().then_some(program)
}

/// Runs `touchback play` until its window is closed.
///
/// # Errors
/// A backend that cannot be opened; a build without the feature `standalone` and without the program beside it.
pub fn run(options: &PlayOptions) -> Result<()> {
    #[cfg(feature = "standalone")]
    {
        let name = std::iter::once("touchback play".to_owned());
        if !touchback::play(name.chain(options.backend.iter().cloned())) {
            bail!("the instrument did not start; the log above has the reason");
        }
        Ok(())
    }
    #[cfg(not(feature = "standalone"))]
    {
        if let Some(program) = beside() {
            let status = Command::new(&program).args(&options.backend).status();
            let status = status.with_context(|| format!("cannot start {}", program.display()))?;
            if !status.success() {
                bail!("the instrument did not start; the log above has the reason");
            }
            return Ok(());
        }
        if options.backend.iter().any(|word| word == "--help" || word == "-h") {
            return touchback_offline::output::print(HELP);
        }
        bail!(
            "the program touchback-play is not beside this command: build both with `cargo build --release \
             --features standalone`, or load the plugin in a host; see `touchback play --help`"
        );
    }
}
