//! `automation`: every parameter of the action automated during music in every timing. Checks for
//! non-finite samples, clicks, and independence of the block size.

use std::f64::consts::TAU;

use anyhow::Result;

use super::sweeps::{click_level, swept};
use touchback_core::exchange::cancel;
use touchback_instrument::host::midi::{Address, InputMessage};
use touchback_instrument::host::params::Parameter;
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::settings::{Latency, Timing, VelocityMeans};
use touchback_instrument::{Piano, Settings};
use touchback_offline::bench::{Folder, Report, TargetBand};
use touchback_offline::output::progress;

/// Sample rate, Hz, high enough to separate clicks from partials, and samples from one value of the moved
/// parameter to the next: 2 ms.
const RATE: f64 = 96_000.0;
const BLOCK: usize = 192;
/// Sizes of the pieces that a block is cut into.
const PIECES: [usize; 3] = [64, 101, 27];
/// Blocks of the music (1 s), from note to note, and of a held note.
const BLOCKS: usize = 500;
const NOTE: usize = 42;
const HELD: usize = 22;
/// Period of the motion over the whole range and back, s [chosen: a fast hand movement].
const PERIOD: f64 = 0.7;
/// The notes: bass, middle, the highest with a damper, treble.
const NOTES: [u8; 5] = [33, 60, 64, 88, 100];
/// Largest tolerated click, dB re the peak.
const CLICK_DB: f64 = -60.0;

/// The music: its events by block.
struct Music {
    messages: [Option<(u32, InputMessage)>; 2],
}

impl Music {
    fn of(block: usize) -> Self {
        let (turn, phase) = (block / NOTE, block % NOTE);
        let note = NOTES[turn % NOTES.len()];
        let velocity = 0.3 + 0.15 * (turn % 4) as f64;
        let on = InputMessage::NoteOn { channel: 0, note, id: None, velocity };
        let off = InputMessage::NoteOff { to: Address::note(0, note), velocity: 0.5 };
        let due = |at: usize, message: InputMessage| (phase == at).then_some((0, message));
        Self { messages: [due(0, on), due(HELD, off)] }
    }
}

impl Host for Music {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        self.messages.iter_mut().find_map(Option::take)
    }
}

/// Renders the music while `moved` moves, in blocks of `pieces` samples.
fn play(settings: &Settings, moved: Option<&Parameter>, pieces: &[usize]) -> Vec<f32> {
    let mut scheduler = EventScheduler::new(Piano::new(RATE, settings));
    let mut samples = Vec::with_capacity(BLOCKS * BLOCK);
    let (mut left, mut right) = ([0.0_f32; BLOCK], [0.0_f32; BLOCK]);
    for block in 0..BLOCKS {
        if let Some(parameter) = moved {
            let turn = TAU * (block * BLOCK) as f64 / RATE / PERIOD;
            let mut now = settings.clone();
            parameter.set(&mut now, parameter.plain(0.5 - 0.5 * libm::cos(turn)));
            scheduler.set(&now);
        }
        cancel::check();
        let mut music = Music::of(block);
        for piece in pieces {
            scheduler.process(&mut left[..*piece], &mut right[..*piece], &mut music);
            samples.extend_from_slice(&left[..*piece]);
        }
    }
    samples
}

/// The timings: names and settings.
fn timings(settings: &Settings) -> [(&'static str, Settings); 4] {
    let with = |timing, means| {
        let mut changed = settings.clone();
        changed.touch.timing = timing;
        changed.touch.latency = Latency::Middle;
        changed.touch.velocity_means = means;
        changed
    };
    [
        ("immediate, finger", with(Timing::Immediate, VelocityMeans::Finger)),
        ("immediate, hammer", with(Timing::Immediate, VelocityMeans::Hammer)),
        ("natural", with(Timing::Natural, VelocityMeans::Finger)),
        ("look-ahead", with(Timing::LookAhead, VelocityMeans::Finger)),
    ]
}

/// Moves every parameter in every timing.
///
/// # Errors
/// None; the folder is not used.
pub fn run(_: &mut Folder, settings: &Settings) -> Result<Report> {
    let mut report = Report::default();
    let parameters: Vec<_> = swept().collect();
    let bar = progress((4 * parameters.len()) as u64, "moving");
    for (name, settings) in timings(settings) {
        let (mut loudest, mut loudest_id) = (f64::NEG_INFINITY, "none");
        let (mut different, mut non_finite, mut silent) = (0.0, 0.0, 0.0);
        for parameter in &parameters {
            let whole = play(&settings, Some(parameter), &[BLOCK]);
            let cut = play(&settings, Some(parameter), &PIECES);
            let is_equal = whole.iter().zip(&cut).all(|(a, b)| a.to_bits() == b.to_bits());
            different += f64::from(u8::from(!is_equal));
            non_finite += whole.iter().filter(|sample| !sample.is_finite()).count() as f64;
            let level = click_level(&whole);
            silent += f64::from(u8::from(level.is_nan()));
            if level > loudest {
                (loudest, loudest_id) = (level, parameter.id);
            }
            bar.inc(1);
        }
        let none = TargetBand::AtMost(0.0);
        let quantity = format!("{name}: loudest click ({loudest_id}), dB re the music");
        report.check(&quantity, "≤ −60", TargetBand::AtMost(CLICK_DB), loudest);
        report.id(&["loudest-click", name]);
        let quantity = format!("{name}: samples that are not finite");
        report.check(&quantity, "0", none, non_finite);
        let quantity = format!("{name}: parameters whose output depends on the block size");
        report.check(&quantity, "0", none, different);
        let quantity = format!("{name}: parameters that silence the music");
        report.check(&quantity, "0", none, silent);
    }
    bar.finish_and_clear();
    Ok(report)
}
