//! A small room round the instrument: a network of eight delays with a lossless feedback matrix
//! [Jot 1991], so that echoes grow dense and decay at one rate, high frequencies sooner.
//!
//! Another size cross-fades from each delay to the new one. The room costs nothing once its last echo is
//! below silence. Audio thread, except `new`.

use std::f64::consts::TAU;

use crate::SoundSettings;
use crate::board::microphones::{DISTANT, Distant, ROOM, SOUND_SPEED};
use crate::output::room_spec::RoomSpec;
use crate::signal::convolve::CHANNELS;
use crate::signal::glide::Glide;
use crate::strings::bank::BLOCK;
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

/// Time in which the delays of another size replace the present ones, s (chosen: as long as another pair of
/// microphones takes).
const FADE: f64 = 0.05;

/// Level below which the room counts as silent (−120 dBFS).
const SILENCE: f32 = 1e-6;

/// The room and all echoes in it.
pub struct Room {
    sample_rate: f64,
    spec: RoomSpec,
    /// Delays as one ring buffer each, a power of two long.
    lines: [Vec<f32>; LINES],
    write: usize,
    /// Length of each delay, samples.
    lengths: [f32; LINES],
    /// Lengths set last.
    targets: [f32; LINES],
    /// Lengths that are being faded out, and the blocks of fading left.
    fading: Option<([f32; LINES], usize)>,
    /// Blocks of a fade.
    fade: usize,
    /// Feedback of each delay, amplitude: at the block's beginning and at its end.
    gains: [(f32, Glide); LINES],
    /// States of the low-pass in each delay, and its share per sample.
    low_pass: [f32; LINES],
    smooth: f32,
    /// Gain into the room, amplitude: at the block's beginning and at its end.
    level: (f32, Glide),
    /// Gain from the room to the chosen pair, amplitude: at the block's beginning and at its end.
    return_level: (f32, Glide),
    /// Samples since an echo was last above silence.
    quiet: usize,
}

impl Room {
    /// The room of `spec` at `sample_rate` Hz, silent.
    #[must_use]
    pub fn new(sample_rate: f64, spec: RoomSpec) -> Self {
        let longest = LONGEST / SOUND_SPEED * RATIOS[LINES - 1] * sample_rate;
        let size = (floor_index(longest) + 4).next_power_of_two();
        let silent = (0.0, Glide::new(0.0, GLIDE_TIME, NEAR, sample_rate));
        let mut room = Self {
            sample_rate,
            spec,
            lines: std::array::from_fn(|_| pages::filled(0.0, size)),
            write: 0,
            lengths: [0.0; LINES],
            targets: [0.0; LINES],
            fading: None,
            fade: floor_index(FADE * sample_rate / BLOCK as f64).max(1),
            gains: [silent; LINES],
            low_pass: [0.0; LINES],
            smooth: single(1.0 - libm::exp(-TAU * ABSORPTION_HZ / sample_rate)),
            level: silent,
            return_level: silent,
            quiet: usize::MAX,
        };
        room.set(spec);
        room.reset();
        room
    }

    /// Another room from the next block on; echoes fade into it.
    pub fn set(&mut self, spec: RoomSpec) {
        self.spec = spec;
        let mut energy_kept = 0.0;
        for (line, ratio) in RATIOS.iter().enumerate() {
            let seconds = spec.size.min(LONGEST) / SOUND_SPEED * ratio;
            let gain = libm::pow(10.0, -3.0 * seconds / spec.time);
            self.targets[line] = single((seconds * self.sample_rate).max(2.0));
            self.gains[line].1.aim(gain);
            energy_kept += gain * gain / LINES as f64;
        }
        // Echoes of a steady sound add up to the requested level.
        self.level.1.aim(spec.level * (1.0 - energy_kept).sqrt());
        self.return_level.1.aim(spec.return_level);
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
        (self.lengths, self.fading) = (self.targets, None);
        for (from, glide) in self.gliding() {
            glide.finish();
            *from = glide.now;
        }
    }

    /// All gliding values.
    fn gliding(&mut self) -> impl Iterator<Item = &mut (f32, Glide)> {
        self.gains.iter_mut().chain([&mut self.level, &mut self.return_level])
    }

    /// Whether no echo is above silence.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.quiet == usize::MAX
    }

    /// Control work at a block's beginning.
    pub fn begin_block(&mut self) {
        self.gliding().for_each(|(from, glide)| *from = glide.step());
        if let Some((_, left)) = &mut self.fading {
            *left -= 1;
            if *left == 0 {
                self.fading = None;
            }
        }
        if self.fading.is_none() && self.lengths != self.targets {
            self.fading = Some((self.lengths, self.fade));
            self.lengths = self.targets;
        }
        if self.quiet != usize::MAX && self.quiet > self.lines[0].len() {
            self.lines.iter_mut().for_each(|line| line.fill(0.0));
            self.low_pass = [0.0; LINES];
            self.quiet = usize::MAX;
        }
    }

    /// Takes both channels of `sent`, from sample `at` of the present block on, into the room; adds the echoes
    /// to `left` and `right`, and to the `distant` pair's buffers.
    pub fn process(
        &mut self,
        at: usize,
        sent: [&[f32]; CHANNELS],
        left: &mut [f32],
        right: &mut [f32],
        mut distant: Distant,
    ) {
        // Active from the first sample above silence, independently of the blocks.
        let mut from = 0;
        if self.is_silent() {
            if self.level.1.is_zero() {
                return;
            }
            let is_above = |(l, r): (&f32, &f32)| l.abs().max(r.abs()) > SILENCE;
            let Some(first) = sent[0].iter().zip(sent[1]).position(is_above) else { return };
            (from, self.quiet) = (first, 0);
        }
        let mask = self.lines[0].len() - 1;
        let far = 0.5 * single(ROOM[DISTANT]);
        let lengths = self.lengths.map(Delay::of);
        let fading = self.fading.map(|(lengths, left)| (lengths.map(Delay::of), left));
        let late = left[from..].iter_mut().zip(&mut right[from..]);
        for (n, (l, r)) in (from..).zip(late) {
            let elapsed = (at + n + 1) as f32 / BLOCK as f32;
            let gain = |(from, glide): &(f32, Glide)| from + elapsed * (glide.now - from);
            let (level, near) = (gain(&self.level), 0.5 * gain(&self.return_level));
            let mut taps = [0.0f32; LINES];
            for (i, tap) in taps.iter_mut().enumerate() {
                let mut x = self.tap(i, &lengths[i], mask);
                if let Some((lengths, left)) = &fading {
                    let share = (*left as f32 - elapsed) / self.fade as f32;
                    x += share * (self.tap(i, &lengths[i], mask) - x);
                }
                self.low_pass[i] += self.smooth * (x - self.low_pass[i]);
                *tap = gain(&self.gains[i]) * self.low_pass[i];
            }
            let [a, b] = sent.map(|channel| level * channel[n]);
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

impl Room {
    /// Sample of delay line `line` before `delay`.
    fn tap(&self, line: usize, delay: &Delay, mask: usize) -> f32 {
        let line = &self.lines[line];
        let at = self.write.wrapping_sub(delay.whole);
        line[at & mask] + delay.part * (line[at.wrapping_sub(1) & mask] - line[at & mask])
    }
}

/// A delay in whole samples and a part of one, 0…1.
struct Delay {
    whole: usize,
    part: f32,
}

impl Delay {
    /// A delay of `length` samples.
    fn of(length: f32) -> Self {
        let whole = floor_index(f64::from(length));
        Self { whole, part: length - whole as f32 }
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
            room.process(0, [&sent.0, &sent.1], &mut l, &mut r, None);
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

    /// Echoes of a steady tone while the room is set to `of` each block, in portions of `portion` samples.
    fn echoes(of: impl Fn(usize) -> RoomSpec, portion: usize) -> Vec<f32> {
        let mut room = Room::new(RATE, of(0));
        let mut out = Vec::new();
        for block in 0..1_500 {
            room.set(of(block));
            room.begin_block();
            let tone: [f32; BLOCK] = std::array::from_fn(|i| {
                single((TAU * 300.0 * (block * BLOCK + i) as f64 / RATE).sin())
            });
            for at in (0..BLOCK).step_by(portion) {
                let (mut l, mut r) = (vec![0.0; portion], vec![0.0; portion]);
                let sent = &tone[at..at + portion];
                room.process(at, [sent, sent], &mut l, &mut r, None);
                out.extend(l);
            }
        }
        // Without the tone's onset.
        out.split_off(750 * BLOCK)
    }

    /// The fourth difference of a tone of 300 Hz is 56 dB below it; a jump is as large in both.
    #[test]
    fn another_room_replaces_the_first_without_a_click() {
        /// What moves, and the room for a time, s.
        type Moved = (&'static str, fn(f64) -> RoomSpec);
        let moved: [Moved; 4] = [
            ("size", |x| RoomSpec { size: 9.0 + 20.0 * x, ..SPEC }),
            ("time", |x| RoomSpec { time: 0.3 + 3.0 * x, ..SPEC }),
            ("level", |x| RoomSpec { level: x, ..SPEC }),
            ("return level", |x| RoomSpec { return_level: 0.5 + x, ..SPEC }),
        ];
        for (name, of) in moved {
            let out = echoes(|block| of(f64::from(u8::from(block >= 900))), BLOCK);
            let loudest = out.iter().fold(0.0f32, |most, x| most.max(x.abs()));
            let fourth = |w: &[f32]| (w[0] - 4.0 * w[1] + 6.0 * w[2] - 4.0 * w[3] + w[4]).abs();
            let roughest = out.windows(5).map(fourth).fold(0.0, f32::max);
            assert!(roughest < 4e-3 * loudest, "{name}: {roughest} {loudest}");
        }
    }

    #[test]
    fn portions_do_not_change_the_echoes_of_a_moving_room() {
        let of = |block: usize| {
            let x = (block / 100 % 2) as f64;
            RoomSpec {
                size: 5.0 + 10.0 * x,
                time: 0.5 + x,
                level: 0.5 + 0.1 * x,
                return_level: 1.0,
            }
        };
        let whole = echoes(of, BLOCK);
        assert!([1, 16].iter().all(|portion| echoes(of, *portion) == whole));
    }
}
