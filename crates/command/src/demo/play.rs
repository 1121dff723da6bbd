//! Plays a score through the plugin in the embedded host.

use std::time::Instant;

use anyhow::{Context, Result};

use crate::host::{Announced, Host, Message, Timed};
use touchback_core::math::power::square;
use touchback_instrument::host::midi;
use touchback_instrument::host::midi_file::Score;
use touchback_instrument::host::params::Parameter;
use touchback_offline::output::progress;
use touchback_offline::table::Curve;
use touchback_offline::wave::{Tail, Wave};

/// Sample rate, Hz, and samples per block.
pub(super) const RATE: u32 = 48_000;
const BLOCK: u32 = 512;

/// Samples in one point of the figure's envelope: 20 ms.
const ENVELOPE: usize = 960;

/// The level of the plugin's output over time, and the speed of rendering.
#[derive(Default)]
pub(super) struct HostOutput {
    /// Time, s, least and greatest sample, and mean square, per 20 ms.
    pub(super) envelope: Vec<(f64, f32, f32, f64)>,
    /// Seconds of audio per second of wall-clock time.
    pub(super) real_time_factor: f64,
}

/// Plays `score` into `wave` while `parameter` follows `curve`.
pub(super) fn play(
    host: &mut Host,
    score: &Score,
    parameter: &'static Parameter,
    curve: &Curve,
    wave: &mut Wave,
) -> Result<HostOutput> {
    let announced = find(host, parameter)?;
    host.activate(f64::from(RATE), BLOCK)?;
    let size = usize::try_from(BLOCK)?;
    let (mut left, mut right) = (vec![0.0f32; size], vec![0.0f32; size]);
    let last = score.events.last().map_or(0, |(t, _)| score.sample(*t, RATE));
    let mut tail = Tail::new(last, RATE);
    let mut output = HostOutput::default();
    let mut bucket = Bucket::default();
    let bar = progress(last.max(1), "playing");
    let began = Instant::now();
    let (mut start, mut next, mut sent) = (0u64, 0, f64::NAN);
    let mut messages = Vec::new();
    loop {
        messages.clear();
        let wanted = parameter.quantize(curve.at(start as f64 / f64::from(RATE)));
        if wanted != sent {
            sent = wanted;
            let value = host.value_of(announced.id, &wanted.to_string())?;
            messages.push(Timed { at: 0, what: Message::Parameter(announced.id, value) });
        }
        while let Some((time, event)) = score.events.get(next) {
            let sample = score.sample(*time, RATE);
            if sample >= start + u64::from(BLOCK) {
                break;
            }
            let at = u32::try_from(sample - start)?;
            messages.extend(message(*event).map(|what| Timed { at, what }));
            next += 1;
        }
        host.process(&messages, &mut left, &mut right)?;
        let end = tail.end(&left, &right);
        let frames = end.unwrap_or(size);
        wave.write(&left[..frames], &right[..frames])?;
        for (l, r) in left.iter().zip(&right).take(frames) {
            bucket.add(*l, *r, &mut output.envelope);
        }
        start += u64::from(BLOCK);
        bar.set_position(start.min(last));
        if end.is_some() {
            break;
        }
    }
    bar.finish_and_clear();
    let wall = began.elapsed().as_secs_f64().max(1e-9);
    output.real_time_factor = wave.frames() as f64 / f64::from(RATE) / wall;
    host.deactivate();
    Ok(output)
}

/// The plugin's entry for `parameter`, found by name.
fn find(host: &mut Host, parameter: &Parameter) -> Result<Announced> {
    let all = host.parameters()?;
    let found = all.into_iter().find(|p| p.name == parameter.name);
    found.with_context(|| format!("the plugin has no parameter `{}`", parameter.name))
}

/// The host's message for `message`; `None` for kinds that the performances do not contain.
pub(super) fn message(message: midi::InputMessage) -> Option<Message> {
    Some(match message {
        midi::InputMessage::NoteOn { note, velocity, .. } => {
            Message::NoteOn(i16::from(note), velocity)
        }
        midi::InputMessage::NoteOff { to, velocity } => {
            Message::NoteOff(i16::from(to.note?), velocity)
        }
        midi::InputMessage::Controller { number, value, .. } => {
            Message::Midi([0xB0, number, midi::seven_bits(value)])
        }
        _ => return None,
    })
}

/// Gathers samples into points of the envelope.
#[derive(Default)]
struct Bucket {
    count: usize,
    done: usize,
    low: f32,
    high: f32,
    squares: f64,
}

impl Bucket {
    fn add(&mut self, left: f32, right: f32, out: &mut Vec<(f64, f32, f32, f64)>) {
        let mean = 0.5 * (left + right);
        (self.low, self.high) = (self.low.min(mean), self.high.max(mean));
        self.squares += 0.5 * (square(f64::from(left)) + square(f64::from(right)));
        self.count += 1;
        if self.count == ENVELOPE {
            let time = (self.done as f64 + 0.5) * ENVELOPE as f64 / f64::from(RATE);
            out.push((time, self.low, self.high, self.squares / ENVELOPE as f64));
            *self = Self { done: self.done + 1, ..Self::default() };
        }
    }
}
