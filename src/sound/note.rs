//! One note: its modes, its hammer, its damper.

use std::f64::consts::PI;

use realfft::num_complex::Complex64;

use crate::math::cast::{floor_index, single};
use crate::math::compass::Key;
use crate::sound::bank::{self, BLOCK, Drive, Kernel, LANES, Pole, Ring, Touch};
use crate::sound::contact::Hammer;
use crate::sound::hammer::HammerSpec;
use crate::sound::scale::StringSpec;
use crate::sound::unison::{MOST, SIDEWAYS, Unison};
use crate::sound::{Voicing, loss};

/// Highest partial, Hz, and over the sample rate.
const LIMIT_HZ: f64 = 16_000.0;
const LIMIT_OF_RATE: f64 = 0.45;

/// A hammer clear of the string for this long is gone, s.
const HAMMER_GONE: f64 = 2e-3;
/// A hammer is taken away after this long at the latest, s.
const HAMMER_CAUGHT: f64 = 0.06;

/// A hammer this far from the string will not reach it within a sample, m: strings and hammers
/// move at less than 10 m/s.
const WELL_CLEAR: f64 = 2.5e-4;

/// Highest partial that resounds with other notes, Hz: above, the strings that could drive it have
/// gone before it has risen.
const RESOUND_HZ: f64 = 4_000.0;

/// Mobility from one place of the bridge to another against that at one place (chosen).
const TRANSFER: f64 = 0.3;

/// Blocks between looks at a note's level.
const LOOK_BLOCKS: usize = 8;

/// Steps of the contact per second at least, by key number: about four hundred in the shortest
/// contact.
fn contact_rate(key: Key) -> f64 {
    match key.number() {
        0..=28 => 44_100.0,
        29..=48 => 88_200.0,
        49..=66 => 176_400.0,
        _ => 352_800.0,
    }
}

/// A hammer at its strings, inside the engine.
#[derive(Clone, Copy, Debug)]
struct Strike {
    hammer: Hammer,
    /// Time clear of the string, s.
    clear: f64,
    /// Time since it began, s.
    age: f64,
}

/// One note of the engine.
pub struct Note {
    key: Key,
    sample_rate: f64,
    kernel: Kernel,
    partials: usize,
    strings: usize,
    /// Contact steps a sample.
    steps: usize,
    /// Bridge gains belong to the piano as strung, so that a retune never jumps a force.
    strung: StringSpec,
    rings: Vec<Ring>,
    touches: Vec<Touch>,
    poles: Vec<Pole>,
    drives: Vec<Drive>,
    /// Leading groups of lanes that resound with other notes.
    resounding: usize,
    /// Struck since it slept: it drives the other strings. A note that was not struck is driven.
    struck: bool,
    /// Displacement under the hammer per force over one step, m/N.
    compliance: f64,
    hammer: HammerSpec,
    strike: Option<Strike>,
    /// Share of the resting damper, asked for and applied.
    rest: (f32, f32),
    /// Leading groups of lanes that still ring.
    active: usize,
}

impl Note {
    /// The note of `key`, complete.
    #[must_use]
    pub fn new(key: Key, voicing: &Voicing, sample_rate: f64, kernel: Kernel) -> Self {
        let strung = StringSpec::of(key, &Voicing::default());
        let partials = strung.partials_below(LIMIT_HZ.min(LIMIT_OF_RATE * sample_rate));
        let strings = strung.strings;
        let chunks = (partials * strings + partials.min(SIDEWAYS)).div_ceil(LANES);
        let mut note = Self {
            key,
            sample_rate,
            kernel,
            partials,
            strings,
            steps: floor_index((contact_rate(key) / sample_rate).log2().ceil().max(0.0).exp2()),
            strung,
            rings: vec![Ring::default(); chunks],
            touches: vec![Touch::default(); chunks],
            poles: vec![Pole::default(); chunks],
            drives: vec![Drive::default(); chunks],
            resounding: 0,
            struck: false,
            compliance: 0.0,
            hammer: HammerSpec::of(key, voicing),
            strike: None,
            rest: (0.0, 0.0),
            active: 0,
        };
        let low = strung.partials_below(RESOUND_HZ).min(partials);
        note.resounding = (low * strings + low.min(SIDEWAYS)).div_ceil(LANES).min(chunks);
        note.load(voicing);
        note.reset();
        note
    }

    /// Silence, damper at rest.
    pub fn reset(&mut self) {
        bank::still(&mut self.rings);
        self.strike = None;
        self.struck = false;
        self.active = 0;
        self.rest = (if self.key.number() > loss::LAST_DAMPER { 0.0 } else { 1.0 }, f32::NAN);
        self.apply_damper();
    }

    /// Takes over a whole new voicing at once.
    pub fn load(&mut self, voicing: &Voicing) {
        let unison = Unison::new(self.key, voicing);
        for k in 1..=self.partials {
            self.load_partial(&unison, voicing, k);
        }
        self.finish_load(voicing);
    }

    /// Number of partials.
    #[must_use]
    pub const fn partials(&self) -> usize {
        self.partials
    }

    /// Takes over partial `k` (1…partials) of a new voicing; bounded work, no click.
    pub fn load_partial(&mut self, unison: &Unison, voicing: &Voicing, k: usize) {
        let group = unison.group(k);
        let shape = self.strung.strike_shape(k) / self.strings as f64;
        let mass = 0.5 * self.strung.mass();
        let bridge = single(self.strung.bridge_gain(k));
        let (sample, step) = (1.0 / self.sample_rate, 1.0 / self.sample_rate / self.steps as f64);
        // Tuned past the top of the band a partial falls silent instead of folding back.
        let heard = group.poles[0].im * sample < 0.98 * PI;
        let damp = loss::damper(self.key, k) / voicing.damper_time;
        let upright = (0..self.strings.min(MOST)).map(|j| (group.poles[j], group.weights[j], 1.0));
        let sideways = (k <= SIDEWAYS).then(|| unison.sideways(k));
        let sideways = sideways.map(|(pole, weight)| (pole, Complex64::from(weight), 0.0));
        // A bridge that moves at Y F pulls on the partial as the partial pulls on it.
        let mobility = loss::bridge_mobility(self.key, self.strung.partial_hz(k)).re;
        let omega = 2.0 * PI * self.strung.partial_hz(k);
        let moved = -TRANSFER * mobility * self.strung.bridge_gain(k) / (mass * omega * omega);
        let first = (k - 1) * self.strings + (k - 1).min(SIDEWAYS);
        for (j, (pole, weight, felt)) in upright.chain(sideways).enumerate() {
            let push = if heard {
                // Constant force for one step, exactly.
                weight * shape / Complex64::new(0.0, mass * pole.im)
                    * (((pole * step).exp() - 1.0) / pole)
            } else {
                Complex64::ZERO
            };
            let (fall, turn) = distance(pole * sample);
            let (short_fall, short_turn) = distance(pole * step);
            let (c, l) = ((first + j) / LANES, (first + j) % LANES);
            let touch = &mut self.touches[c];
            touch.fall[l] = short_fall;
            touch.turn[l] = short_turn;
            touch.shape[l] = single(shape * felt);
            touch.push_re[l] = single(push.re);
            touch.push_im[l] = single(push.im);
            let slot = &mut self.poles[c];
            slot.fall[l] = fall;
            slot.turn[l] = turn;
            slot.damp[l] = single(-(-damp * sample).exp_m1());
            let drive =
                if heard && felt > 0.0 { weight * (moved * sample) } else { Complex64::ZERO };
            self.drives[c].re[l] = single(drive.re);
            self.drives[c].im[l] = single(drive.im);
            self.rings[c].bridge[l] = if heard { bridge } else { 0.0 };
        }
        // Shows the new poles at the next block.
        self.rest.1 = f32::NAN;
    }

    /// Completes a voicing after its last partial.
    pub fn finish_load(&mut self, voicing: &Voicing) {
        self.hammer = HammerSpec::of(self.key, voicing);
        self.compliance = self
            .touches
            .iter()
            .flat_map(|t| t.shape.iter().zip(&t.push_re))
            .map(|(&shape, &push)| f64::from(shape) * f64::from(push))
            .sum();
    }

    /// The felt from the next strike on.
    pub fn set_hammer(&mut self, voicing: &Voicing) {
        self.hammer = HammerSpec::of(self.key, voicing);
    }

    /// The hammer meets the strings, where they are now, `delay` samples from now.
    pub fn strike(&mut self, speed: f64, delay: f64) {
        self.active = self.rings.len();
        self.struck = true;
        self.apply_damper();
        let string = f64::from(bank::displacement(&self.rings, &self.touches));
        let gap = speed * delay / self.sample_rate;
        let hammer = Hammer::new(self.hammer, string, gap, speed);
        self.strike = Some(Strike { hammer, clear: 0.0, age: 0.0 });
    }

    /// Damper lift, 0 resting … 1 clear. The felt presses less and less while it leaves: its loss
    /// goes with the square of what is left (chosen: half pedal lets a note ring several times as
    /// long).
    pub fn damper(&mut self, lift: f64) {
        if self.key.number() <= loss::LAST_DAMPER {
            self.rest.0 = single((1.0 - lift.clamp(0.0, 1.0)).powi(2));
        }
    }

    /// The note was struck and sounds: other strings hear it through the bridge.
    #[must_use]
    pub const fn drives(&self) -> bool {
        self.struck
    }

    /// Other notes move the bridge: strings clear of their damper begin to resound.
    pub fn wake(&mut self) {
        if self.active == 0 && self.rest.0 < 1.0 {
            self.active = self.resounding;
        }
    }

    /// The note sounds or is being struck.
    #[must_use]
    pub const fn is_awake(&self) -> bool {
        self.active > 0
    }

    fn apply_damper(&mut self) {
        if self.rest.0.to_bits() != self.rest.1.to_bits() {
            bank::set_damping(&mut self.rings, &self.poles, self.rest.0);
            self.rest.1 = self.rest.0;
        }
    }

    /// Work of a block boundary; `block` counts them since reset. A group of lanes below `gate` N
    /// falls silent, unless the moving bridge (`driven`) may still raise it.
    pub fn control(&mut self, block: usize, gate: f32, driven: bool) {
        if self.active == 0 {
            return;
        }
        self.apply_damper();
        if self.strike.is_some() || !(block + self.key.index()).is_multiple_of(LOOK_BLOCKS) {
            return;
        }
        bank::settle(&mut self.rings[..self.active]);
        if driven && !self.struck && self.rest.0 < 1.0 {
            return;
        }
        // Groups at the end hold the highest partials and fade first.
        while self.active > 0 {
            let last = self.active - 1..self.active;
            let share = if self.active == 1 { 1.0 } else { 0.03 };
            if bank::level(&self.rings[last.clone()]) >= (share * gate).powi(2) {
                break;
            }
            bank::still(&mut self.rings[last]);
            self.active -= 1;
        }
        self.struck &= self.active > 0;
    }

    /// Adds the force on the bridge over the next samples, at most [`BLOCK`], N; `bridge` is the
    /// force of the other strings on it.
    pub fn process(&mut self, bridge: &[f32], out: &mut [f32]) {
        if !self.struck {
            let (rings, drives) = (&mut self.rings[..self.active], &self.drives[..self.active]);
            bank::resound(self.kernel, rings, drives, bridge, out);
            return;
        }
        let mut done = 0;
        while self.strike.is_some() && done < out.len() {
            out[done] += self.contact_sample();
            done += 1;
        }
        let rest = &mut out[done..];
        for part in rest.chunks_mut(BLOCK) {
            bank::ring(self.kernel, &mut self.rings[..self.active], part);
        }
    }

    fn contact_sample(&mut self) -> f32 {
        let Some(mut strike) = self.strike else { return 0.0 };
        let sample = 1.0 / self.sample_rate;
        let bridge = if strike.hammer.compression() < -WELL_CLEAR {
            let (bridge, place) = bank::coast(self.kernel, &mut self.rings, &self.touches);
            strike.hammer.coast(f64::from(place), sample);
            strike.clear += sample;
            bridge
        } else {
            let h = sample / self.steps as f64;
            let mut force = 0.0;
            for _ in 0..self.steps {
                let y = bank::advance(self.kernel, &mut self.rings, &self.touches, force);
                force = single(strike.hammer.step(f64::from(y), self.compliance, h));
                let touching = strike.hammer.compression() > 0.0;
                strike.clear = if touching { 0.0 } else { strike.clear + h };
            }
            let bridge = bank::end_contact(self.kernel, &mut self.rings, &self.touches, force);
            if self.rest.1 > 0.0 {
                bank::damp(&mut self.rings, &self.poles, self.rest.1);
            }
            bridge
        };
        strike.age += sample;
        let gone = strike.clear > HAMMER_GONE || strike.age > HAMMER_CAUGHT;
        self.strike = if gone { None } else { Some(strike) };
        bridge
    }
}

/// A pole exponent as the distance of its exponential from 1, without cancellation.
fn distance(exponent: Complex64) -> (f32, f32) {
    let radius = exponent.re.exp();
    let half = (0.5 * exponent.im).sin();
    (single(2.0 * radius * half * half - exponent.re.exp_m1()), single(radius * exponent.im.sin()))
}
