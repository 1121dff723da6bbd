//! `touchback play`: the stand-alone instrument with its own window, audio and MIDI.
//!
//! Audio and MIDI are the plugin framework's standalone backends (JACK, ALSA, CoreAudio, WASAPI),
//! which need system libraries to build: only with the feature `standalone`.

use anyhow::{Result, bail};

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

This build cannot: it was built where the libraries of the audio system were missing. Build it with

  cargo build --release --features standalone

on Linux with the packages libasound2-dev and libjack-jackd2-dev, or load the plugin in a host.
";

/// Runs `touchback play` until its window is closed.
///
/// # Errors
/// A backend that cannot be opened; a build without the feature `standalone`.
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
        if options.backend.iter().any(|word| word == "--help" || word == "-h") {
            return crate::output::print(HELP);
        }
        bail!("this build has no audio and MIDI of its own; see `touchback play --help`");
    }
}
