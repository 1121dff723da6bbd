//! The sound of a rendering, as a WAV or FLAC file.

use std::path::Path;

use anyhow::{Result, bail};

use super::RenderOptions;
use crate::flac::Flac;
use crate::output::{Draft, Shown as _};
use crate::wave::{Wave, max_frames};
use touchback_core::files::samples::{Level, SampleForm};

/// The values of `--format`.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum, Debug)]
pub(super) enum Format {
    Wav,
    Flac,
}

impl Format {
    const ALL: [(Self, &'static str); 2] = [(Self::Wav, "wav"), (Self::Flac, "flac")];

    /// Ending of file names.
    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::Wav => "wav",
            Self::Flac => "flac",
        }
    }

    /// The format of the ending of `path`; none without an ending.
    ///
    /// # Errors
    /// Another ending.
    fn of(path: &Path) -> Result<Option<Self>> {
        let Some(ending) = path.extension() else { return Ok(None) };
        let known = Self::ALL.into_iter().find(|(_, known)| ending.eq_ignore_ascii_case(known));
        match known {
            Some((format, _)) => Ok(Some(format)),
            None => bail!("--output {}: a rendering is a .wav or .flac file", path.shown()),
        }
    }

    /// The format of the output file, or of all files in folders.
    ///
    /// # Errors
    /// A file whose ending is that of no format or of another one; floating point in FLAC.
    pub(super) fn chosen(options: &RenderOptions, is_single: bool) -> Result<Self> {
        let named = if is_single { Self::of(&options.output)? } else { None };
        let format = named.or(options.format).unwrap_or(Self::Wav);
        if let Some(other) = options.format.filter(|other| *other != format) {
            let path = options.output.shown();
            bail!("--output {path}: the ending is not that of --format {}", other.ending());
        }
        if format == Self::Flac && options.form() == SampleForm::Float32 {
            bail!("--bits 32: FLAC has whole numbers; leave out --bits, or write WAV");
        }
        Ok(format)
    }
}

/// A file being written.
pub(super) enum SoundFile<'a> {
    Wave(Wave<'a>),
    Flac(Flac<'a>),
}

impl<'a> SoundFile<'a> {
    /// Begins a file of `format` in `draft` for at most `longest` frames.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn new(
        draft: &'a Draft,
        options: &RenderOptions,
        format: Format,
        longest: f64,
    ) -> Result<Self> {
        let (rate, form) = (options.sample_rate, options.form());
        Ok(match format {
            Format::Wav => {
                let is_long = longest > max_frames(form) as f64;
                Self::Wave(Wave::with(draft, rate, form, is_long)?)
            }
            Format::Flac => Self::Flac(Flac::new(draft, rate)?),
        })
    }

    /// Appends frames.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn write(&mut self, left: &[f32], right: &[f32]) -> Result<()> {
        match self {
            Self::Wave(wave) => wave.write(left, right),
            Self::Flac(flac) => flac.write(left, right),
        }
    }

    /// Level of the written samples.
    pub(super) const fn level(&self) -> &Level {
        match self {
            Self::Wave(wave) => wave.level(),
            Self::Flac(flac) => flac.level(),
        }
    }

    /// Completes the file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn finish(self) -> Result<()> {
        match self {
            Self::Wave(wave) => wave.finish(),
            Self::Flac(flac) => flac.finish(),
        }
    }
}
