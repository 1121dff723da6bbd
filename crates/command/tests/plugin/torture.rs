//! The built plugin under random actions of a host: events, values, blocks, rates, states, resets and
//! activations of two instances. Debug builds also abort on any allocation inside `process`.
//!
//! `cargo test --release --test plugin torture -- --ignored --nocapture` runs for five minutes.

use std::time::{Duration, Instant};

use crate::host::{Message, Plugin, PluginEntry, ProcessStatus, control, library, off};
use clack_host::events::event_types::NoteExpressionType;
use touchback_command::host::ClapId;
use touchback_core::math::random::Random;
use touchback_instrument::host::params;

const RATES: [f64; 8] =
    [22_050.0, 44_100.0, 48_000.0, 88_200.0, 96_000.0, 176_400.0, 192_000.0, 384_000.0];

/// Random actions of a host.
struct Dice(Random);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        usize::try_from(self.0.below(sides as u64)).unwrap()
    }

    /// A value, usually 0…1, sometimes invalid.
    fn value(&mut self) -> f64 {
        match self.below(40) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => -1e30,
            3 => 1e30,
            4 => f64::MIN_POSITIVE,
            _ => self.0.share(),
        }
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }

    /// A note, sometimes outside the compass, sometimes any number.
    fn note(&mut self) -> i16 {
        match self.below(30) {
            0 => -1,
            1 => i16::try_from(self.below(128)).unwrap(),
            _ => i16::try_from(21 + self.below(88)).unwrap(),
        }
    }

    fn send(&mut self) -> Message {
        use NoteExpressionType::{Brightness, Pan, Pressure, Tuning, Vibrato, Volume};
        let expressions = [Brightness, Pan, Pressure, Tuning, Vibrato, Volume];
        match self.below(20) {
            0..=6 => Message::NoteOn(self.note(), self.value()),
            7..=10 => off(self.note()),
            11 => Message::Choke(self.note()),
            12 => {
                let what = expressions[self.below(expressions.len())];
                Message::Express(self.note(), what, 3.0 * self.value())
            }
            13 => Message::Midi([self.byte(), self.byte(), self.byte()]),
            14 => {
                let pedal = [64, 66, 67, 88, 7, 10, 11][self.below(7)];
                Message::Midi([0xB0 | (self.byte() & 3), pedal, self.byte() & 0x7F])
            }
            15 => Message::Midi([0xA0, 21 + self.byte() % 88, self.byte() & 0x7F]),
            16 => Message::Parameter(
                ClapId::new(u32::try_from(self.below(1 << 31)).unwrap()),
                self.value(),
            ),
            _ => {
                let parameter = params::all().nth(self.below(params::COUNT)).unwrap();
                let steps = parameter.choices().len().saturating_sub(1).max(1);
                control(parameter, self.value() * steps as f64)
            }
        }
    }
}

/// Time after which a released piano must be silent, s: four times the longest decay of the undamped top
/// octaves, and of the lowest strings under dampers of a quarter of their strength.
const SILENT_AFTER: f64 = 60.0;

/// Plays `blocks` random blocks on one of two instances at a time, then releases everything and waits for
/// silence. Panics on an error.
fn round(entry: &PluginEntry, dice: &mut Dice, blocks: usize, longest: usize, rates: &[f64]) {
    let rate = rates[dice.below(rates.len())];
    let mut plugins = [Plugin::active(entry, rate), Plugin::active(entry, rate)];
    let mut states: Vec<Vec<u8>> = Vec::new();
    let mut samples = Vec::new();
    for _ in 0..blocks {
        let plugin = &mut plugins[dice.below(2)];
        let length = if dice.below(4) == 0 { 1 + dice.below(8) } else { 1 + dice.below(longest) };
        let now = plugin.processor().now();
        let count = if dice.below(30) == 0 { dice.below(2_000) } else { dice.below(12) };
        let mut events: Vec<_> =
            (0..count).map(|_| (now + dice.below(length), dice.send())).collect();
        events.sort_by_key(|event| event.0);
        samples.clear();
        plugin.processor().block(length, &events, &mut samples);
        let worst = samples.iter().flatten().fold(0.0_f32, |worst, s| worst.max(s.abs()));
        assert!(samples.iter().flatten().all(|s| s.is_finite()), "at {rate} Hz");
        assert!(worst < 1e3, "{worst} at {rate} Hz");
        match dice.below(60) {
            0 => plugin.processor().reset(),
            1 => states.push(plugin.save()),
            2 if !states.is_empty() => {
                let state = &states[dice.below(states.len())];
                assert!(plugin.load(state));
            }
            3 => {
                let mut state = plugin.save();
                let at = 8 + dice.below(state.len() - 8);
                state[at] = dice.byte();
                // Accepted or refused, the plugin must continue.
                plugin.load(&state);
            }
            4 => plugin.activate(rate).unwrap(),
            _ => {}
        }
    }
    for plugin in &mut plugins {
        let processor = plugin.processor();
        let now = processor.now();
        let mut release = Vec::new();
        for channel in 0..16 {
            for (number, value) in [(121, 0), (123, 0)] {
                release.push((now, Message::Midi([0xB0 | channel, number, value])));
            }
        }
        let mut status = processor.block(64, &release, &mut samples);
        let mut waited = 0.0;
        while status == ProcessStatus::Continue && waited < SILENT_AFTER {
            samples.clear();
            status = processor.block(8_192, &[], &mut samples);
            assert!(samples.iter().flatten().all(|s| s.is_finite()));
            waited += 8_192.0 / rate;
        }
        let loudest = samples.iter().flatten().fold(0.0_f32, |loudest, s| loudest.max(s.abs()));
        assert!(
            status != ProcessStatus::Continue,
            "something sticks at {rate} Hz, {loudest} at the end, with {}",
            String::from_utf8_lossy(&plugin.save())
        );
    }
}

#[test]
fn a_short_torture() {
    let entry = library();
    let mut dice = Dice(Random::new(1));
    for _ in 0..2 {
        round(&entry, &mut dice, 60, 300, &RATES[..2]);
    }
}

#[test]
#[ignore = "lasts five minutes"]
fn five_minutes_of_torture() {
    let entry = library();
    let begun = Instant::now();
    let mut rounds = 0;
    while begun.elapsed() < Duration::from_secs(300) {
        let mut dice = Dice(Random::new(rounds + 2));
        round(&entry, &mut dice, 300, 8_192, &RATES);
        rounds += 1;
    }
    println!("{rounds} rounds of 300 blocks");
}
