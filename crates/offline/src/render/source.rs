//! The input of a rendering: a MIDI file, a servo's log of a haptic session, or a table of key depths.

use std::path::Path;

use anyhow::{Result, anyhow, bail};

use super::player::Player;
use super::{MidiVolume, RenderOptions};
use crate::controls::Automation;
use crate::key_motion::KeyMotion;
use crate::output::{self, Shown as _};
use touchback_haptics::record::recording::Recording;
use touchback_instrument::host::midi_file::{Parts, Score};
use touchback_instrument::settings::Timing;
use touchback_instrument::{Piano, Settings};

/// Largest MIDI file, bytes.
const MIDI_LIMIT: u64 = 64_000_000;

/// The score of an input without MIDI messages.
static NO_SCORE: Score = Score::empty();

/// An input file.
pub(super) enum Source {
    /// The piano's part of a MIDI file.
    Midi {
        score: Score,
        /// Lifts of the sustain pedal that pedal repair made longer.
        repaired_lifts: usize,
    },
    /// A servo's log.
    Log(Recording),
    /// Recorded motion of keys.
    Keys(KeyMotion),
}

impl Source {
    /// Opens the file at `input`, whatever it is.
    ///
    /// # Errors
    /// A file that cannot be read or is none of the three.
    pub(super) fn open(input: &Path, options: &RenderOptions, settings: &Settings) -> Result<Self> {
        let is_stdin = output::is_stdin(input);
        if !is_stdin && Recording::is_at(input) {
            return Ok(Self::Log(Recording::open(input)?));
        }
        let name = input.shown();
        let is_table = match is_stdin {
            true => !Score::is_in(&output::read(input, MIDI_LIMIT)?),
            false => input.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")),
        };
        if is_table && options.trim {
            bail!("--trim: a table of key depths begins at its first row; cut the rows before");
        }
        if is_table {
            let motion = KeyMotion::open(input);
            let motion = motion.map_err(|error| match error.to_string().strip_prefix(&name) {
                Some(fault) if is_stdin => {
                    anyhow!("{name}: no MIDI file, and no table of key depths{fault}")
                }
                _ => error,
            })?;
            return Ok(Self::Keys(motion));
        }
        let bytes = output::read(input, MIDI_LIMIT)?;
        let parts = parts(options, settings);
        let (mut score, lifts) = Score::read_repaired(&name, &bytes, &parts, &settings.pedals)?;
        if options.trim {
            score.trim();
        }
        if options.midi_volume == MidiVolume::Gm {
            score.set_default_volume();
        }
        Ok(Self::Midi { score, repaired_lifts: lifts.repaired })
    }

    /// Time of the last event, s.
    pub(super) fn end(&self) -> f64 {
        match self {
            Self::Midi { score, .. } => score.end(),
            Self::Log(recording) => recording.length(),
            Self::Keys(motion) => motion.end(),
        }
    }

    /// Remarks about the file, a line each.
    pub(super) fn warnings(&self) -> &[String] {
        match self {
            Self::Midi { score, .. } => &score.warnings,
            Self::Log(_) => &[],
            Self::Keys(motion) => &motion.warnings,
        }
    }

    /// The timing of this input where `wanted` is set: recorded keys are not early.
    pub(super) fn timing(&self, wanted: Timing) -> Timing {
        let has_keys = matches!(self, Self::Keys(_));
        if has_keys && wanted == Timing::LookAhead { Timing::Natural } else { wanted }
    }

    /// A player of this input on `piano`.
    ///
    /// # Errors
    /// A log of several actions, or one that cannot be read again.
    pub(super) fn feed<'a>(
        &'a self,
        piano: Piano,
        settings: Settings,
        automation: &'a Automation,
        rate: u32,
    ) -> Result<Player<'a>> {
        let score = if let Self::Midi { score, .. } = self { score } else { &NO_SCORE };
        let mut player = Player::new(piano, score, settings, automation, rate);
        match self {
            Self::Midi { .. } => {}
            Self::Log(recording) => player.add_log(recording)?,
            Self::Keys(motion) => player.add_keys(motion),
        }
        Ok(player)
    }

    /// Lifts of the sustain pedal that pedal repair made longer.
    pub(super) const fn repaired_lifts(&self) -> usize {
        match self {
            Self::Midi { repaired_lifts, .. } => *repaired_lifts,
            Self::Log(_) | Self::Keys(_) => 0,
        }
    }
}

/// The parts of a file that are played.
fn parts(options: &RenderOptions, settings: &Settings) -> Parts {
    let RenderOptions { channels, tracks, .. } = options;
    if channels.is_none() && tracks.is_none() {
        return Parts::of(settings);
    }
    Parts { channels: channels.clone(), tracks: tracks.clone() }
}
