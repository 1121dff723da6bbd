//! Histories of a keyboard: messages, sensor readings and gaps as chance or a fuzzer has them,
//! ended by stop, silence or a broken sensor; and what the force may be meanwhile and after.
//!
//! While force is allowed it stays within the build's largest, elsewhere it is 0; once the fade is
//! over it is at most the safe damping times the speed, until the host clears.

use crate::device::key_impedance::RenderedBed;
use crate::device::safety::{DeviceMode, FADE_US};
use crate::device::{Build, Device};
use crate::frame::MAX_FRAME;
use crate::message::{Config, Hello, KeyFacts, KeyList, KeyWave, Message, Play, VERSION, ability};
use crate::real::Real;

/// Force beyond the law that is put down to rounding, N.
const SLACK: f64 = 1e-3;
/// Readings whose largest speed the damping answers to: 5 ms, nine time constants of its filter
/// and more.
const REMEMBERED: usize = 40;
/// Largest force of the keyboard under test, N.
const FORCE_MAX: f64 = 20.0;
const T: f64 = 125e-6;
const STEP: f64 = 2e-6;

/// Chance: splitmix64 [Steele, Lea and Flood 2014] of a seed, or a fuzzer's bytes and then zeros.
#[derive(Clone, Debug)]
pub enum Choices<'a> {
    /// The state of the generator.
    Seed(u64),
    /// Bytes that are left.
    Bytes(&'a [u8]),
}

impl Choices<'_> {
    fn next(&mut self) -> u32 {
        match self {
            Self::Seed(state) => {
                *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
                let [.., a, b, c, d] = (z ^ (z >> 31)).to_le_bytes();
                u32::from_le_bytes([a, b, c, d])
            }
            Self::Bytes(bytes) => {
                let mut word = [0; 4];
                for place in &mut word {
                    if let Some((first, rest)) = bytes.split_first() {
                        (*place, *bytes) = (*first, rest);
                    }
                }
                u32::from_le_bytes(word)
            }
        }
    }

    /// 0 to below `n`.
    fn below(&mut self, n: u32) -> u32 {
        self.next() % n.max(1)
    }

    /// From `least` to `most`.
    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * f64::from(self.next()) / f64::from(u32::MAX)
    }

    /// A field: 0, its largest, or anything between, small ones as likely as large ones.
    fn field(&mut self) -> u16 {
        let [a, b, shift, kind] = self.next().to_le_bytes();
        match kind % 8 {
            0 => 0,
            1 => u16::MAX,
            _ => u16::from_le_bytes([a, b]) >> (shift % 16),
        }
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[1]
    }
}

/// What a history came to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Outcome {
    /// It was live when it was ended.
    pub was_live: bool,
    /// Largest force beyond what was allowed, N; 0 where the promise was kept.
    pub excess: f64,
    /// Time of it, µs.
    pub at_us: u32,
}

/// A key under a finger: a mass held to a target by a spring and a damper, between two stops.
#[derive(Clone, Copy, Debug)]
struct Hand {
    x: f64,
    v: f64,
    mass: f64,
    target: f64,
    spring: f64,
}

impl Hand {
    /// One tick under the motor's force against downward motion; the sensor's count.
    fn step(&mut self, force: f64) -> i32 {
        for _ in 0..5 {
            let stop = -20_000.0 * (self.x.min(0.0) + (self.x - 11e-3).max(0.0));
            let pull = self.spring * (self.target - self.x) - (3.0 + 1e-3 * self.spring) * self.v;
            self.v += (pull + stop - force) / self.mass * (T / 5.0);
            self.x += self.v * (T / 5.0);
        }
        (self.x / STEP).rounded()
    }
}

/// Longest time without a command the keyboard under test was built for, µs.
const TIMEOUT_US: u32 = 20_000;

/// The keyboard under test: 20 N, 5 N held, and a bed of its own.
#[must_use]
pub fn build<F: Real>() -> Build<2, F> {
    Build {
        hello: Hello {
            version: VERSION,
            keys: 2,
            first_key: 40,
            abilities: ability::WAVE | ability::TORQUE | ability::KEYBED,
            rate_hz: 8000,
            report_us: 1000,
            force_max: 2000,
            force_held: 500,
            step_nm: 2000,
            name: *b"histories\0\0\0\0\0\0\0",
        },
        facts: [KeyFacts::default(); 2],
        slew: F::of(20_000.0),
        thermal_time: F::of(2.0),
        timeout_us: TIMEOUT_US,
        bed: RenderedBed { stiffness: F::of(40e3), damping: F::of(20.0), depth: F::of(5e-3) },
        guard: F::of(10e-3),
        state_keys: 88,
    }
}

struct Bench<'a, F> {
    choices: Choices<'a>,
    device: Device<2, F>,
    hands: [Hand; 2],
    forces: [F; 2],
    counts: [i32; 2],
    speeds: [[f64; REMEMBERED]; 2],
    ticks: usize,
    now_us: u32,
    seq: u16,
    /// Count added to a sensor that is broken.
    broken: [i32; 2],
    ended_us: Option<u32>,
    outcome: Outcome,
}

/// One history of a keyboard that calculates with `F`, and what it came to.
#[must_use]
pub fn run<F: Real>(mut choices: Choices) -> Outcome {
    let now_us = if choices.below(2) == 0 { 0 } else { 0u32.wrapping_sub(choices.below(400_000)) };
    let hand = |c: &mut Choices| Hand {
        x: 0.0,
        v: 0.0,
        mass: c.between(0.03, 0.2),
        target: 0.0,
        spring: 0.0,
    };
    let hands = [hand(&mut choices), hand(&mut choices)];
    let mut bench: Bench<F> = Bench {
        device: Device::new(build(), now_us),
        choices,
        hands,
        forces: [F::default(); 2],
        counts: [0; 2],
        speeds: [[0.0; REMEMBERED]; 2],
        ticks: 0,
        now_us,
        seq: 0,
        broken: [0; 2],
        ended_us: None,
        outcome: Outcome::default(),
    };
    bench.play();
    bench.outcome
}

impl<F: Real> Bench<'_, F> {
    fn play(&mut self) {
        if self.choices.below(4) != 0 {
            self.configure();
        }
        self.send(&Message::Clear(1));
        for _ in 0..4 + self.choices.below(24) {
            self.event();
            let ticks = 1 + self.choices.below(60);
            for _ in 0..ticks {
                self.tick();
                if self.ticks.is_multiple_of(8) {
                    self.command();
                }
            }
        }
        // Once more, live if it can be, with all the force there is.
        self.broken = [0; 2];
        if self.choices.below(4) != 0 {
            self.send(&Message::Ask(VERSION));
            self.send(&Message::Stop(2));
            for _ in 0..2 * FADE_US / 125 {
                self.tick();
            }
            self.send(&Message::Clear(2));
        }
        for _ in 0..1 + self.choices.below(200) {
            self.tick();
            if self.ticks.is_multiple_of(8) {
                self.command();
            }
        }
        self.outcome.was_live = self.device.mode() == DeviceMode::Live;
        let grace = match self.choices.below(3) {
            0 => {
                self.send(&Message::Stop(3));
                0
            }
            1 => TIMEOUT_US,
            _ => {
                self.broken[1] = 90_000;
                0
            }
        };
        self.ended_us = Some(self.now_us.wrapping_add(grace + FADE_US + 375));
        for _ in 0..1600 + self.choices.below(400) {
            if self.choices.below(400) == 0 {
                self.move_hands();
            }
            self.tick();
        }
    }

    fn event(&mut self) {
        match self.choices.below(16) {
            0..=2 => self.configure(),
            3..=6 => self.move_hands(),
            7 => self.send(&Message::Clear(9)),
            8 => self.send(&Message::Stop(9)),
            9 => {
                let gap = self.choices.below(400_000);
                self.now_us = self.now_us.wrapping_add(gap);
            }
            10 => {
                let key = usize::from(self.choices.byte() % 2);
                let by = i32::from(self.choices.field()) * 4 - 100_000;
                if let Some(broken) = self.broken.get_mut(key) {
                    *broken = if *broken == 0 { by } else { 0 };
                }
            }
            11 => {
                for _ in 0..self.choices.below(40) {
                    let byte = self.choices.byte();
                    self.device.receive(byte);
                }
            }
            12 => {
                let version = VERSION - u8::from(self.choices.below(2) == 0);
                self.send(&Message::Ask(version));
                self.send(&Message::Ping(7));
            }
            _ => {}
        }
    }

    fn move_hands(&mut self) {
        let c = &mut self.choices;
        for hand in &mut self.hands {
            hand.target = c.between(-1e-3, 14e-3);
            hand.spring = if c.below(3) == 0 { 0.0 } else { c.between(50.0, 4000.0) };
        }
    }

    fn configure(&mut self) {
        let c = &mut self.choices;
        let config = Config {
            force_max: c.field(),
            slew: c.field(),
            force_held: c.field(),
            thermal_time: c.field(),
            timeout_ms: c.field(),
            safe_damping: c.byte(),
            bed_stiffness: c.field(),
            bed_damping: c.field(),
            bed: c.field(),
            guard: c.field(),
            report_us: c.field(),
        };
        self.send(&Message::Config(config));
    }

    fn command(&mut self) {
        let c = &mut self.choices;
        let mut play = Play {
            seq: self.seq,
            play_us: self.now_us.wrapping_add(c.below(60_000)).wrapping_sub(5_000),
            keys: KeyList::default(),
        };
        if c.below(4) != 0 {
            play.play_us = self.now_us;
        }
        self.seq = self.seq.wrapping_add(1);
        for key in 0..c.below(3) {
            let [a, b, impedance, _] = c.next().to_le_bytes();
            let force = i16::from_le_bytes([a, b]);
            play.keys.push(KeyWave { key: u8::from(key > 0), force, impedance });
        }
        let is_direct = c.below(4) == 0;
        self.send(&if is_direct { Message::Torque(play) } else { Message::Wave(play) });
    }

    fn send(&mut self, message: &Message) {
        let mut frame = [0; MAX_FRAME];
        let length = message.frame(&mut frame).unwrap_or(0);
        frame.iter().take(length).for_each(|b| self.device.receive(*b));
    }

    fn tick(&mut self) {
        self.now_us = self.now_us.wrapping_add(125);
        self.ticks += 1;
        let slot = self.ticks % REMEMBERED;
        for (k, hand) in self.hands.iter_mut().enumerate() {
            let count = hand.step(self.forces[k].into()) + self.broken[k];
            self.speeds[k][slot] = f64::from(count - self.counts[k]).abs() * STEP / T;
            self.counts[k] = count;
        }
        self.device.tick(self.now_us, &self.counts, &mut self.forces);
        for (force, speeds) in self.forces.iter().zip(&self.speeds) {
            let fastest = speeds.iter().fold(0.0, |most: f64, v| most.max(*v));
            let damping = self.device.safe_damping().into() * fastest;
            let is_over = self.ended_us.is_some_and(|t| crate::fixed::since(self.now_us, t) >= 0);
            let allowed = match self.device.mode() {
                _ if is_over => damping,
                DeviceMode::Live | DeviceMode::Fading => FORCE_MAX,
                DeviceMode::Damping => damping.min(FORCE_MAX),
                _ => 0.0,
            };
            let force: f64 = (*force).into();
            let excess = if force.is_finite() { force.abs() - allowed - SLACK } else { f64::MAX };
            if excess > self.outcome.excess {
                self.outcome.excess = excess;
                self.outcome.at_us = self.now_us;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tried<F: Real>(count: u64) {
        let (mut live, mut bad) = (0, Vec::new());
        for seed in 0..count {
            let outcome = run::<F>(Choices::Seed(seed));
            live += u64::from(outcome.was_live);
            if outcome.excess > 0.0 {
                bad.push((seed, outcome.excess));
            }
        }
        let over = |least: f64| bad.iter().filter(|b| b.1 > least).count();
        let worst = bad.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        println!(
            "{count} histories, {live} live at the end; promise broken in {}, by more than 0.5 N \
             in {}, 5 N in {}; worst (seed, N) {worst:?}, first {:?}",
            bad.len(),
            over(0.5),
            over(5.0),
            &bad[..bad.len().min(8)]
        );
        assert!(bad.is_empty() && live > count / 2);
    }

    /// `TOUCHBACK_HISTORIES` of them, 2000 without it.
    #[test]
    fn force_ends_whatever_happened() {
        let count = std::env::var("TOUCHBACK_HISTORIES").ok().and_then(|n| n.parse().ok());
        let count = count.unwrap_or(2000);
        tried::<f64>(count);
        tried::<f32>(count);
    }

    proptest! {
        /// The same from bytes, as a fuzzer finds them.
        #[test]
        fn force_ends_whatever_the_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
            let outcome = run::<f32>(Choices::Bytes(&bytes));
            prop_assert!(outcome.excess <= 0.0, "{outcome:?}");
        }
    }
}
