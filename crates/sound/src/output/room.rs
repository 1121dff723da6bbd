//! A room round the instrument: all-passes that spread each sound, then a network of 32 delays with a lossless
//! feedback matrix [Jot 1991], so that echoes are dense and decay at the requested rate, high frequencies sooner.
//!
//! 32 delays of 46 ms in the mean give 1.5 resonances per hertz, closer together than their width where the decay
//! takes up to 3 s: no key meets a resonance of its own. The matrix is not symmetric, since paths through two delays
//! in both orders would add up to a comb.
//!
//! Another size cross-fades from each delay to the new one. The room costs nothing once its last echo is
//! below silence. Audio thread, except `new`.

mod delay_line;

use std::f64::consts::TAU;

use crate::SoundSettings;
use crate::board::microphones::{DISTANT, Distant, ROOM};
use crate::output::room_spec::RoomSpec;
use crate::signal::convolve::CHANNELS;
use crate::signal::glide::Glide;
use crate::strings::bank::{BLOCK, kernels};
use delay_line::{AllPass, DelayLine};
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::kernel::Kernel;

/// Number of delay lines.
const LINES: usize = 32;

/// Lines that are filtered together.
const LANES: usize = 8;

/// Shortest and longest delay in a room of [`NATURAL_SIZE`], s; those between are spaced evenly by ratio (chosen:
/// echoes are dense after 50 ms).
const DELAYS: [f64; 2] = [0.018, 0.095];

/// Delays of the all-passes of the left channel in a room of [`NATURAL_SIZE`], s; no two in a simple ratio (chosen).
const PASSES: [f64; 5] = [0.0031, 0.0043, 0.0061, 0.0089, 0.0127];

/// Ratio of the right channel's all-passes to the left's (chosen: no delays in common).
const RIGHT: f64 = 1.073;

/// Size of the room to which the delays belong, m.
const NATURAL_SIZE: f64 = 9.0;

/// Exponent of the delays over the size (chosen: at 1 the echoes of halls are single for 0.3 s, as in the open,
/// and those of small rooms ring).
const GROWTH: f64 = 0.3;

/// Ratio of the decay time at [`ABSORPTION_HZ`] to the requested one (walls and air of furnished rooms and halls:
/// 0.6–0.8 [Beranek 1996]).
const ABSORPTION: f64 = 0.68;
const ABSORPTION_HZ: f64 = 4000.0;

/// Time constant of filters and levels, s: a tenth of the way in a block at 48 kHz.
const GLIDE_TIME: f64 = 12.654_962e-3;
/// Distance from their targets at which filters and levels have arrived.
const NEAR: f32 = 1e-5;

/// Time in which the delays of another size replace the present ones, s (chosen: as long as another pair of
/// microphones takes).
const FADE: f64 = 0.05;

/// Level below which the room counts as silent (−120 dBFS).
const SILENCE: f32 = 1e-6;

/// Signs of the lines at the outputs: left and right of the near pair, left and right of the distant one.
const OUTPUTS: [[f32; LINES]; 4] = [output(5), output(10), output(19), output(28)];

/// A row of the Hadamard matrix, so that outputs have nothing in common, times signs that are alike to no row of the
/// matrix: an output that is one would return to one line and ring there.
const fn output(row: usize) -> [f32; LINES] {
    let mut signs = [1.0; LINES];
    let mut line = 0;
    while line < LINES {
        let odd = (row & line).count_ones() + (line & (line >> 1) & 0b101).count_ones();
        if odd % 2 == 1 {
            signs[line] = -1.0;
        }
        line += 1;
    }
    signs
}

/// Delays in samples.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Delays {
    lines: [usize; LINES],
    passes: [[usize; PASSES.len()]; CHANNELS],
}

impl Delays {
    /// Those of a room of `size` m at `sample_rate` Hz.
    fn of(size: f64, sample_rate: f64) -> Self {
        let scale = libm::pow(size / NATURAL_SIZE, GROWTH) * sample_rate;
        let samples = |seconds: f64| floor_index(seconds * scale).max(BLOCK);
        let line = |line: usize| {
            // Neighbours in the matrix are not neighbours in length.
            let order = (13 * line + 7) % LINES;
            let share = (order as f64 + 0.5) / LINES as f64;
            samples(DELAYS[0] * libm::pow(DELAYS[1] / DELAYS[0], share))
        };
        let passes = [1.0, RIGHT].map(|ratio| PASSES.map(|seconds| samples(ratio * seconds)));
        Self { lines: std::array::from_fn(line), passes }
    }
}

/// A value at a block's beginning, and its glide to the block's end.
type Gliding = (f32, Glide);

/// The value at `elapsed` blocks since the block's beginning.
#[inline(always)]
fn at((from, glide): &Gliding, elapsed: f32) -> f32 {
    from + elapsed * (glide.now - from)
}

/// The room and all echoes in it.
pub struct Room {
    kernel: Kernel,
    sample_rate: f64,
    spec: RoomSpec,
    passes: [[AllPass; PASSES.len()]; CHANNELS],
    lines: [DelayLine; LINES],
    delays: Delays,
    /// Delays set last.
    targets: Delays,
    /// Delays that are being faded out, and the blocks of fading left.
    fading: Option<(Delays, usize)>,
    /// Blocks of a fade.
    fade: usize,
    /// Samples after which a silent room is empty.
    longest: usize,
    /// Feedback of each line, amplitude, and share of its low-pass per sample.
    gains: [Gliding; LINES],
    shares: [Gliding; LINES],
    /// Whether any gliding value moves.
    is_gliding: bool,
    /// States of the low-passes.
    low_pass: [f32; LINES],
    /// Gain into the room, amplitude.
    level: Gliding,
    /// Gain from the room to the chosen pair, amplitude.
    return_level: Gliding,
    /// Samples since an echo was last above silence.
    quiet: usize,
}

impl Room {
    /// The room of `spec` at `sample_rate` Hz, silent; every `kernel` gives the same samples.
    #[must_use]
    pub fn new(sample_rate: f64, spec: RoomSpec, kernel: Kernel) -> Self {
        let largest = Delays::of(SoundSettings::RANGES.room_size.max, sample_rate);
        let silent = (0.0, Glide::new(0.0, GLIDE_TIME, NEAR, sample_rate));
        let mut room = Self {
            kernel,
            sample_rate,
            spec,
            passes: largest.passes.map(|channel| channel.map(AllPass::new)),
            lines: largest.lines.map(DelayLine::new),
            delays: largest,
            targets: largest,
            fading: None,
            fade: floor_index(FADE * sample_rate / BLOCK as f64).max(1),
            longest: largest.lines.into_iter().fold(0, usize::max),
            gains: [silent; LINES],
            shares: [silent; LINES],
            is_gliding: true,
            low_pass: [0.0; LINES],
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
        self.is_gliding = true;
        self.targets =
            Delays::of(spec.size.min(SoundSettings::RANGES.room_size.max), self.sample_rate);
        let cosine = libm::cos(TAU * (ABSORPTION_HZ / self.sample_rate).min(0.45));
        let mut energy_kept = 0.0;
        for (line, delay) in self.targets.lines.into_iter().enumerate() {
            let decades = 3.0 * delay as f64 / self.sample_rate / spec.time;
            let gain = libm::pow(10.0, -decades);
            // The low-pass whose gain at that frequency, over the one at 0 Hz, gives the shorter decay.
            let power = libm::pow(10.0, -2.0 * decades * (1.0 / ABSORPTION - 1.0));
            let (a, b) = (1.0 - power * cosine, 1.0 - power);
            let pole = (a - (a * a - b * b).max(0.0).sqrt()) / b;
            self.gains[line].1.aim(gain);
            self.shares[line].1.aim(1.0 - pole);
            energy_kept += gain * gain / LINES as f64;
        }
        // Echoes of a steady sound add up to the requested level.
        self.level.1.aim(spec.level * (1.0 - energy_kept).sqrt());
        self.return_level.1.aim(spec.return_level);
    }

    /// Clears all echoes.
    pub fn reset(&mut self) {
        if self.quiet < usize::MAX {
            self.empty();
        }
        self.settle();
    }

    fn empty(&mut self) {
        self.passes.as_flattened_mut().iter_mut().for_each(AllPass::clear);
        self.lines.iter_mut().for_each(DelayLine::clear);
        self.low_pass = [0.0; LINES];
        self.quiet = usize::MAX;
    }

    /// The room set last is in force at once; call it while no echo is above silence.
    pub fn settle(&mut self) {
        (self.delays, self.fading) = (self.targets, None);
        for (from, glide) in self.gliding() {
            glide.finish();
            *from = glide.now;
        }
    }

    /// All gliding values.
    fn gliding(&mut self) -> impl Iterator<Item = &mut Gliding> {
        let filters = self.gains.iter_mut().chain(&mut self.shares);
        filters.chain([&mut self.level, &mut self.return_level])
    }

    /// Whether no echo is above silence.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.quiet == usize::MAX
    }

    /// Control work at a block's beginning.
    pub fn begin_block(&mut self) {
        if self.is_gliding {
            self.gliding().for_each(|(from, glide)| *from = glide.step());
            let is_moving = self.gliding().any(|(from, glide)| *from != glide.now);
            self.is_gliding = is_moving;
        }
        if let Some((_, left)) = &mut self.fading {
            *left -= 1;
            if *left == 0 {
                self.fading = None;
            }
        }
        if self.fading.is_none() && self.delays != self.targets {
            self.fading = Some((self.delays, self.fade));
            self.delays = self.targets;
        }
        if self.quiet != usize::MAX && self.quiet > self.longest {
            self.empty();
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
        distant: Distant,
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
        let sent = sent.map(|channel| &channel[from..]);
        let distant = distant.map(|channels| channels.map(|channel| &mut channel[from..]));
        let out = [&mut left[from..], &mut right[from..]];
        echo(self.kernel, self, at + from, sent, out, distant);
    }

    /// [`Room::process`] while there are echoes.
    #[inline(always)]
    fn echo(
        &mut self,
        begin: usize,
        sent: [&[f32]; CHANNELS],
        [left, right]: [&mut [f32]; CHANNELS],
        distant: Distant,
    ) {
        let count = left.len();
        let elapsed: [f32; BLOCK] = std::array::from_fn(|i| (begin + i + 1) as f32 / BLOCK as f32);
        let (old, shares) = match &self.fading {
            Some((old, left)) => {
                (*old, Some(elapsed.map(|elapsed| (*left as f32 - elapsed) / self.fade as f32)))
            }
            None => (self.delays, None),
        };
        let shares = shares.as_ref().map(|shares| &shares[..count]);

        let mut input = [[0.0f32; BLOCK]; CHANNELS];
        for (channel, input) in input.iter_mut().enumerate() {
            for ((x, sent), elapsed) in input.iter_mut().zip(sent[channel]).zip(&elapsed) {
                *x = at(&self.level, *elapsed) * sent;
            }
            for (i, pass) in self.passes[channel].iter_mut().enumerate() {
                let delays = [&old, &self.delays].map(|delays| delays.passes[channel][i]);
                pass.pass(delays, shares, &mut input[..count]);
            }
        }

        let mut taps = [[0.0f32; BLOCK]; LINES];
        for (group, taps) in taps.chunks_exact_mut(LANES).enumerate() {
            let first = group * LANES;
            let lines = &self.lines[first..];
            let mut faded: [[f32; BLOCK]; LANES];
            let read: [&[f32]; LANES] = if shares.is_none() {
                std::array::from_fn(|i| lines[i].read(self.delays.lines[first + i], count))
            } else {
                faded = [[0.0; BLOCK]; LANES];
                for (i, faded) in faded.iter_mut().enumerate() {
                    let delays = [old.lines[first + i], self.delays.lines[first + i]];
                    lines[i].read_faded(delays, shares, &mut faded[..count]);
                }
                std::array::from_fn(|i| &faded[i][..count])
            };
            let (gains, low_passes) = (&self.gains[first..], &self.shares[first..]);
            let state = &mut self.low_pass[first..];
            absorb([gains, low_passes], state, &elapsed[..count], &read, taps);
        }

        let scale = 1.0 / (LINES as f32).sqrt();
        let far = scale * single(ROOM[DISTANT]);
        let near = |i: usize| scale * at(&self.return_level, elapsed[i]);
        add(&taps, &OUTPUTS[0], near, left);
        add(&taps, &OUTPUTS[1], near, right);
        if let Some([far_left, far_right]) = distant {
            add(&taps, &OUTPUTS[2], |_| far, far_left);
            add(&taps, &OUTPUTS[3], |_| far, far_right);
        }

        mix(&mut taps, count);
        let mut loudest = [0.0f32; BLOCK];
        for (i, line) in self.lines.iter_mut().enumerate() {
            let sign = if 7 * i % LINES % 5 < 2 { -scale } else { scale };
            let input_sign = if i / 2 % 2 == 0 { 1.0 } else { -1.0 };
            let mixed = &taps[(11 * i + 5) % LINES];
            let into: [f32; BLOCK] =
                std::array::from_fn(|n| sign * mixed[n] + input_sign * input[i % 2][n]);
            for (loudest, x) in loudest.iter_mut().zip(&into) {
                *loudest = loudest.max(x.abs());
            }
            line.push(&into[..count]);
        }
        for loudest in &loudest[..count] {
            self.quiet = if *loudest > SILENCE { 0 } else { self.quiet + 1 };
        }
    }
}

kernels! {
    /// [`Room::process`] while there are echoes.
    echo, echo_body, echo_avx2, echo_avx512,
    (room: &mut Room, begin: usize, sent: [&[f32]; CHANNELS], out: [&mut [f32]; CHANNELS], distant: Distant)
}

#[inline(always)]
fn echo_body(
    room: &mut Room,
    begin: usize,
    sent: [&[f32]; CHANNELS],
    out: [&mut [f32]; CHANNELS],
    distant: Distant,
) {
    room.echo(begin, sent, out, distant);
}

/// Losses of the walls in [`LANES`] lines, whose samples are `read`: gains and shares of the low-passes, their
/// `state`, and the samples after the losses in `taps`.
#[inline(always)]
fn absorb(
    [gains, shares]: [&[Gliding]; 2],
    state: &mut [f32],
    elapsed: &[f32],
    read: &[&[f32]; LANES],
    taps: &mut [[f32; BLOCK]],
) {
    let gains: [Gliding; LANES] = std::array::from_fn(|lane| gains[lane]);
    let shares: [Gliding; LANES] = std::array::from_fn(|lane| shares[lane]);
    let mut low_pass: [f32; LANES] = std::array::from_fn(|lane| state[lane]);
    for (i, elapsed) in elapsed.iter().enumerate() {
        for lane in 0..LANES {
            low_pass[lane] += at(&shares[lane], *elapsed) * (read[lane][i] - low_pass[lane]);
            taps[lane][i] = at(&gains[lane], *elapsed) * low_pass[lane];
        }
    }
    state[..LANES].copy_from_slice(&low_pass);
}

/// Adds the lines with their `signs`, times the gain at each sample, to `out`.
#[inline(always)]
fn add(
    taps: &[[f32; BLOCK]; LINES],
    signs: &[f32; LINES],
    gain: impl Fn(usize) -> f32,
    out: &mut [f32],
) {
    let mut sum = [0.0f32; BLOCK];
    for (tap, sign) in taps.iter().zip(signs) {
        for (sum, x) in sum.iter_mut().zip(tap) {
            *sum += sign * x;
        }
    }
    for (i, x) in out.iter_mut().enumerate() {
        *x += gain(i) * sum[i];
    }
}

/// Hadamard matrix of order 32 over the lines, of all their first `count` samples.
#[inline(always)]
fn mix(taps: &mut [[f32; BLOCK]; LINES], count: usize) {
    let mut span = 1;
    while span < LINES {
        for pairs in taps.chunks_exact_mut(2 * span) {
            let (first, second) = pairs.split_at_mut(span);
            for (a, b) in first.iter_mut().zip(second) {
                for (a, b) in a[..count].iter_mut().zip(&mut b[..count]) {
                    (*a, *b) = (*a + *b, *a - *b);
                }
            }
        }
        span *= 2;
    }
}

#[cfg(test)]
mod tests;
