//! `sweeps`: every regulation moved during a trill: audible clicks, and the state afterwards.
//!
//! A click has content above every partial (16 kHz). The trill is rendered at 96 kHz and high-passed at
//! 26 kHz; the largest remaining sample is compared with that of a step as high as the note's peak. A held
//! chord with jumps to both ends of the range shows other effects: knocks of a moving bed or check, falling
//! dampers; a screw without load has none.

use std::f64::consts::{PI, TAU};

use anyhow::Result;

use touchback_core::exchange::cancel;
use touchback_core::math::cast::single;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::params::{self, Parameter, ParameterGroup};
use touchback_instrument::settings::Timing;
use touchback_instrument::{Event, Piano, Settings};
use touchback_offline::bench::{Folder, Report, TargetBand};
use touchback_offline::output::progress;

/// Sample rate of the trill, Hz, and samples per block of 2 ms.
const RATE: f64 = 96_000.0;
const BLOCK: usize = 192;

/// Blocks of the trill, of a key's period, and of a held key.
const TRILL: usize = 1500;
const STROKE: usize = 84;
const HOLD: usize = 40;

/// Period of a sweep over the whole range and back, s [chosen: a hand turning a knob].
const SWEEP: f64 = 1.5;

/// Blocks after release in which keys may still move: 4 s.
const REST: usize = 2000;

/// Depth above which a released key counts as stuck, m.
const STUCK: f64 = 0.5e-3;

/// Blocks of the held chord, and the range of blocks with the parameter at one end.
const CHORD: usize = 800;
const JUMP: usize = 300;
const BACK: usize = 550;

/// Cut-off frequency of the high-pass, Hz, and its number of taps.
const CUT: f64 = 26_000.0;
const TAPS: usize = 63;

/// Samples and strikes of a trill, and the state of its keys.
struct SweepEvents {
    samples: Vec<f32>,
    strikes: usize,
    lost: u64,
    /// Whether the keys are at rest at their start position.
    is_at_rest: bool,
}

/// A trill of two keys, 12 presses per second in natural timing, while `swept` moves.
fn trill(settings: &Settings, swept: Option<&'static Parameter>) -> Result<SweepEvents> {
    let mut settings = settings.clone();
    settings.touch.timing = Timing::Natural;
    let keys = [touchback_offline::bench::key(40)?, touchback_offline::bench::key(42)?];
    let mut piano = Piano::new(RATE, &settings);
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    let mut found = SweepEvents { samples: Vec::new(), strikes: 0, lost: 0, is_at_rest: false };
    for block in 0..TRILL {
        if let Some(parameter) = swept {
            let turn = TAU * (block * BLOCK) as f64 / RATE / SWEEP;
            let mut now = settings.clone();
            parameter.set(&mut now, parameter.plain(0.5 - 0.5 * libm::cos(turn)));
            piano.set(&now);
        }
        for (i, key) in keys.into_iter().enumerate() {
            match (block + i * STROKE / 2) % STROKE {
                0 => piano.handle(Event::NoteOn { key, velocity: 0.5 }),
                HOLD => piano.handle(Event::NoteOff { key, velocity: 0.5 }),
                _ => {}
            }
        }
        cancel::check();
        piano.process(&mut left, &mut right);
        found.samples.extend_from_slice(&left);
        found.strikes += piano.strikes().len();
    }
    piano.set(&settings);
    piano.handle(Event::AllNotesOff);
    for _ in 0..REST {
        cancel::check();
        piano.process(&mut left, &mut right);
        found.samples.extend_from_slice(&left);
        if piano.keyboard().awake() == 0 {
            break;
        }
    }
    let at_rest = |key: KeyNumber| piano.keyboard().key_depth(key).abs() < STUCK;
    found.is_at_rest = piano.keyboard().awake() == 0 && keys.into_iter().all(at_rest);
    found.lost = piano.keyboard().lost_states();
    Ok(found)
}

/// A held chord while `moved` jumps to one end of its range and back.
fn chord(settings: &Settings, moved: Option<(&'static Parameter, f64)>) -> Result<Vec<f32>> {
    let mut piano = Piano::new(RATE, settings);
    for number in [28, 40, 44, 59] {
        piano.handle(Event::NoteOn { key: touchback_offline::bench::key(number)?, velocity: 0.5 });
    }
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    let mut samples = Vec::new();
    for block in 0..CHORD {
        if let Some((parameter, end)) = moved {
            let mut now = settings.clone();
            if (JUMP..BACK).contains(&block) {
                parameter.set(&mut now, end);
            }
            piano.set(&now);
        }
        cancel::check();
        piano.process(&mut left, &mut right);
        samples.extend_from_slice(&left);
    }
    Ok(samples)
}

/// Taps of the high-pass: a windowed sinc.
fn taps() -> [f64; TAPS] {
    let cut = CUT / RATE;
    std::array::from_fn(|i| {
        let (m, share) = (i as f64 - (TAPS / 2) as f64, i as f64 / (TAPS - 1) as f64);
        let window = 0.42 - 0.5 * libm::cos(TAU * share) + 0.08 * libm::cos(2.0 * TAU * share);
        let low = if m == 0.0 { 2.0 * cut } else { libm::sin(TAU * cut * m) / (PI * m) };
        window * (f64::from(u8::from(m == 0.0)) - low)
    })
}

fn peak(samples: &[f32]) -> f64 {
    samples.iter().fold(0.0, |m, x| m.max(f64::from(x.abs())))
}

/// Largest sample after the high-pass.
fn click(samples: &[f32]) -> f64 {
    let taps = taps();
    let filtered = |w: &[f32]| w.iter().zip(&taps).map(|(x, t)| f64::from(*x) * t).sum::<f64>();
    samples.windows(TAPS).map(filtered).fold(0.0, |m, x| m.max(x.abs()))
}

/// Level of the largest click, dB re the peak; NaN in silence.
pub(super) fn click_level(samples: &[f32]) -> f64 {
    let mut step = [0.0f32; 4 * TAPS];
    step[2 * TAPS..].fill(1.0);
    db(click(samples) / click(&step) / peak(samples))
}

/// The parameters of the action.
pub(super) fn swept() -> impl Iterator<Item = &'static Parameter> {
    use ParameterGroup::{Action, Regulation};
    params::all().filter(|p| matches!(p.group, Regulation | Action))
}

fn db(x: f64) -> f64 {
    20.0 * libm::log10(x)
}

/// Measures clicks, strikes and stuck keys for every parameter of the action.
pub fn run(_: &mut Folder, settings: &Settings) -> Result<Report> {
    let mut report = Report::default();
    let plain = trill(settings, None)?;
    let unswept = click_level(&plain.samples);
    report.check(
        "trill, nothing swept: click, dB re note",
        "≤ −60",
        TargetBand::AtMost(-60.0),
        unswept,
    );
    // The measure must detect an inserted click.
    let mut clicked = plain.samples.clone();
    let added = single(1e-3 * peak(&clicked));
    let middle = clicked.len() / 2;
    clicked[middle..].iter_mut().for_each(|x| *x += added);
    let found = click_level(&clicked);
    report.check(
        "trill with a step of −60 dB added: click, dB re note",
        "−60",
        TargetBand::Within(-61.0, -59.0),
        found,
    );
    let held = chord(settings, None)?;
    let ringing = peak(&held[JUMP * BLOCK..]);
    let swept: Vec<_> = swept().collect();
    let bar = progress(swept.len() as u64, "sweeping");
    let mut effects = String::from(
        "Change of a held chord while the parameter jumps to each end of its range, dB re the \
         chord: knocks, dampers, released hammers; −inf where no part rests on the screw.\n\n",
    );
    for parameter in swept {
        let id = parameter.id;
        let swept = trill(settings, Some(parameter))?;
        let clicks = click_level(&swept.samples);
        report.check(
            &format!("{id}: click, dB re note"),
            "≤ −60",
            TargetBand::AtMost(-60.0),
            clicks,
        );
        let finite = swept.samples.iter().all(|x| x.is_finite()) && swept.lost == 0;
        report.holds(&format!("{id}: all samples and states finite"), finite);
        report.holds(&format!("{id}: keys and hammers return to rest"), swept.is_at_rest);
        let strikes = swept.strikes as f64;
        report.check(&format!("{id}: strikes"), "some", TargetBand::AtLeast(4.0), strikes);
        let mut ends = [0.0; 2];
        for (end, value) in ends.iter_mut().zip([parameter.min(), parameter.max()]) {
            let moved = chord(settings, Some((parameter, value)))?;
            let differs = |(a, b): (&f32, &f32)| f64::from((a - b).abs());
            *end = db(moved.iter().zip(&held).map(differs).fold(0.0, f64::max) / ringing);
        }
        effects += &format!("{id}: {:.1}, {:.1}\n", ends[0], ends[1]);
        bar.inc(1);
    }
    bar.finish_and_clear();
    report.note(&effects);
    Ok(report)
}
