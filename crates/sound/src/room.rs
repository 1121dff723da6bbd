//! A small room round the instrument: a network of eight delays with a lossless feedback matrix
//! [Jot 1991], so that echoes grow dense and decay at one rate, high frequencies sooner.
//!
//! The room costs nothing once its last echo is below silence. Audio thread, except `new`.

use std::f64::consts::TAU;

use crate::SoundSettings;
use crate::bank::BLOCK;
use crate::convolve::CHANNELS;
use crate::glide::Glide;
use crate::microphones::{DISTANT, Distant, ROOM, SOUND_SPEED};
use crate::room_spec::RoomSpec;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::pages;

/// Number of delay lines.
const LINES: usize = 8;

/// Length of each delay over the room's length; no two in a simple ratio (chosen).
const RATIOS: [f64; LINES] = [0.613, 0.709, 0.787, 0.877, 0.971, 1.087, 1.201, 1.307];

/// Longest room, m.
const LONGEST: f64 = SoundSettings::RANGES.room_size.max;

/// Frequency from which walls and air absorb more, Hz (chosen: plaster, carpet, curtains).
const ABSORPTION_HZ: f64 = 4500.0;

/// Time constant of feedback and level, s: a tenth of the way in a block at 48 kHz.
const GLIDE_TIME: f64 = 12.654_962e-3;
/// Distance from their targets at which feedback and level have arrived.
const NEAR: f32 = 1e-5;

/// Level below which the room counts as silent (−120 dBFS).
const SILENCE: f32 = 1e-6;

/// The room and all echoes in it.
pub struct Room {
    sample_rate: f64,
    spec: RoomSpec,
    /// Delays as one ring buffer each, a power of two long.
    lines: [Vec<f32>; LINES],
    write: usize,
    /// Present length of each delay, samples.
    lengths: [f32; LINES],
    /// Length to which each delay glides, samples.
    targets: [f32; LINES],
    /// Feedback of each delay, amplitude.
    gains: [Glide; LINES],
    /// States of the low-pass in each delay, and its share per sample.
    low_pass: [f32; LINES],
    smooth: f32,
    /// Gain into the room, amplitude.
    level: Glide,
    /// Gain from the room to the chosen pair, amplitude.
    return_level: Glide,
    /// Samples since an echo was last above silence.
    quiet: usize,
}

impl Room {
    /// The room of `spec` at `sample_rate` Hz, silent.
    #[must_use]
    pub fn new(sample_rate: f64, spec: RoomSpec) -> Self {
        let longest = LONGEST / SOUND_SPEED * RATIOS[LINES - 1] * sample_rate;
        let size = (floor_index(longest) + 4).next_power_of_two();
        let mut room = Self {
            sample_rate,
            spec,
            lines: std::array::from_fn(|_| pages::filled(0.0, size)),
            write: 0,
            lengths: [0.0; LINES],
            targets: [0.0; LINES],
            gains: [Glide::new(0.0, GLIDE_TIME, NEAR, sample_rate); LINES],
            low_pass: [0.0; LINES],
            smooth: single(1.0 - libm::exp(-TAU * ABSORPTION_HZ / sample_rate)),
            level: Glide::new(0.0, GLIDE_TIME, NEAR, sample_rate),
            return_level: Glide::new(0.0, GLIDE_TIME, NEAR, sample_rate),
            quiet: usize::MAX,
        };
        room.set(spec);
        room.reset();
        room
    }

    /// Another room from the next block on; echoes glide into it.
    pub fn set(&mut self, spec: RoomSpec) {
        self.spec = spec;
        let mut energy_kept = 0.0;
        for (line, ratio) in RATIOS.iter().enumerate() {
            let seconds = spec.size.min(LONGEST) / SOUND_SPEED * ratio;
            let gain = libm::pow(10.0, -3.0 * seconds / spec.time);
            self.targets[line] = single((seconds * self.sample_rate).max(2.0));
            self.gains[line].aim(gain);
            energy_kept += gain * gain / LINES as f64;
        }
        // Echoes of a steady sound add up to the requested level.
        self.level.aim(spec.level * (1.0 - energy_kept).sqrt());
        self.return_level.aim(spec.return_level);
    }

    /// Clears all echoes.
    pub fn reset(&mut self) {
        if self.quiet < usize::MAX {
            self.lines.iter_mut().for_each(|line| line.fill(0.0));
        }
        self.write = 0;
        self.low_pass = [0.0; LINES];
        self.quiet = usize::MAX;
        self.settle();
    }

    /// The room set last is in force at once; call it while no echo is above silence.
    pub fn settle(&mut self) {
        self.lengths = self.targets;
        self.level.finish();
        self.return_level.finish();
        self.gains.iter_mut().for_each(Glide::finish);
    }

    /// Whether no echo is above silence.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.quiet == usize::MAX
    }

    /// Control work at a block's beginning.
    pub fn begin_block(&mut self) {
        for glide in self.gains.iter_mut().chain([&mut self.level, &mut self.return_level]) {
            glide.step();
        }
        for (length, target) in self.lengths.iter_mut().zip(self.targets) {
            // Delay lengths change by at most a tenth of the elapsed time: this sounds as a pitch bend,
            // not a click.
            let most = 0.1 * BLOCK as f32;
            *length += (target - *length).clamp(-most, most);
        }
        if self.quiet != usize::MAX && self.quiet > self.lines[0].len() {
            self.lines.iter_mut().for_each(|line| line.fill(0.0));
            self.low_pass = [0.0; LINES];
            self.quiet = usize::MAX;
        }
    }

    /// Takes both channels of `sent` into the room; adds the echoes to `left` and `right`, and to the
    /// `distant` pair's buffers.
    pub fn process(
        &mut self,
        sent: [&[f32]; CHANNELS],
        left: &mut [f32],
        right: &mut [f32],
        mut distant: Distant,
    ) {
        // Active from the first sample above silence, independently of the blocks.
        let mut from = 0;
        if self.is_silent() {
            if self.level.is_zero() {
                return;
            }
            let is_above = |(l, r): (&f32, &f32)| l.abs().max(r.abs()) > SILENCE;
            let Some(first) = sent[0].iter().zip(sent[1]).position(is_above) else { return };
            (from, self.quiet) = (first, 0);
        }
        let mask = self.lines[0].len() - 1;
        let (near, far) = (0.5 * self.return_level.now, 0.5 * single(ROOM[DISTANT]));
        let late = left[from..].iter_mut().zip(&mut right[from..]);
        for (n, (l, r)) in (from..).zip(late) {
            let mut taps = [0.0f32; LINES];
            for (i, tap) in taps.iter_mut().enumerate() {
                let length = self.lengths[i];
                let whole = floor_index(f64::from(length));
                let part = length - whole as f32;
                let line = &self.lines[i];
                let at = self.write.wrapping_sub(whole);
                let x =
                    line[at & mask] + part * (line[at.wrapping_sub(1) & mask] - line[at & mask]);
                self.low_pass[i] += self.smooth * (x - self.low_pass[i]);
                *tap = self.gains[i].now * self.low_pass[i];
            }
            let [a, b] = sent.map(|channel| self.level.now * channel[n]);
            *l += near * (taps[0] + taps[2] - taps[4] - taps[6]);
            *r += near * (taps[1] + taps[3] - taps[5] - taps[7]);
            if let Some([far_left, far_right]) = &mut distant {
                far_left[n] += far * (taps[0] - taps[2] + taps[4] - taps[6]);
                far_right[n] += far * (taps[1] - taps[3] + taps[5] - taps[7]);
            }
            let mixed = mixed(taps);
            let mut loudest: f32 = 0.0;
            for (i, x) in mixed.into_iter().enumerate() {
                let input = if i % 2 == 0 { a } else { b };
                let x = x + if i < 4 { input } else { -input };
                loudest = loudest.max(x.abs());
                self.lines[i][self.write & mask] = x;
            }
            self.write = self.write.wrapping_add(1) & mask;
            self.quiet = if loudest > SILENCE { 0 } else { self.quiet + 1 };
        }
    }
}

/// Hadamard matrix of order 8, scaled to keep the energy.
fn mixed(mut x: [f32; LINES]) -> [f32; LINES] {
    for span in [1, 2, 4] {
        for i in (0..LINES).filter(|i| i & span == 0) {
            (x[i], x[i + span]) = (x[i] + x[i + span], x[i] - x[i + span]);
        }
    }
    x.map(|x| x * 0.353_553_4)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;
    const SPEC: RoomSpec = RoomSpec { level: 0.5, return_level: 1.0, size: 10.0, time: 0.8 };

    fn ring(room: &mut Room, seconds: f64) -> Vec<f32> {
        let mut out = Vec::new();
        for block in 0..floor_index(seconds * RATE / BLOCK as f64) {
            room.begin_block();
            let (mut l, mut r) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
            if block == 0 {
                (l[0], r[0]) = (1.0, 1.0);
            }
            let sent = (l, r);
            room.process([&sent.0, &sent.1], &mut l, &mut r, None);
            out.extend(l.iter().zip(&r).map(|(a, b)| a + b));
        }
        out
    }

    #[test]
    fn echoes_decay_at_the_requested_rate_and_end() {
        let mut room = Room::new(RATE, SPEC);
        let out = ring(&mut room, 3.0);
        let energy = |from: f64, to: f64| {
            let part = &out[floor_index(from * RATE)..floor_index(to * RATE)];
            part.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>()
        };
        let fall = 10.0 * (energy(0.1, 0.3) / energy(0.3, 0.5)).log10();
        // High frequencies decay faster than the 15 dB in 0.2 s.
        assert!((15.0..24.0).contains(&fall), "{fall} dB");
        assert!(room.is_silent());
        let all: f64 = out[1..].iter().map(|x| f64::from(*x).powi(2)).sum();
        // Most of a click's energy is at frequencies that the walls absorb.
        assert!((0.03..0.5).contains(&all), "{all}");
    }

    #[test]
    fn a_room_switched_off_adds_nothing_and_a_moved_wall_stays_bounded() {
        let mut room = Room::new(RATE, RoomSpec { level: 0.0, ..SPEC });
        assert!(ring(&mut room, 0.5)[1..].iter().all(|x| *x == 0.0) && room.is_silent());
        let mut room = Room::new(RATE, SPEC);
        let _ = ring(&mut room, 0.1);
        room.set(RoomSpec { size: 40.0, ..SPEC });
        let loudest = |x: Vec<f32>| x.iter().skip(1).fold(0.0f32, |m, x| m.max(x.abs()));
        assert!(loudest(ring(&mut room, 0.5)) < 1.5);
        room.set(RoomSpec { size: 3.0, ..SPEC });
        assert!(loudest(ring(&mut room, 0.5)) < 1.5);
    }
}
