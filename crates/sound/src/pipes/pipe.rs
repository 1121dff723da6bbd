//! One flue pipe: a jet that blows across the mouth of a column of air.
//!
//! The jet-drive model [Verge 1997, Auvray 2012]. The column, open at both ends, has modes of velocity at the mouth
//! under a pressure difference: v̈ + (ω/Q) v̇ + ω² v = (2/ρL) Δṗ each. The velocity moves the jet where it leaves
//! the flue; the jet carries the displacement to the upper lip at 0.4 of its own speed U = √(2 p/ρ), growing on
//! the way, less at high frequencies, and there goes more into the pipe or more out of it, by a hyperbolic tangent of the displacement: Δp = ρ δ b U/W · d/dt tanh(η/b). Flow
//! through the mouth loses ρ/2 (v/0.6)². Wind fills the foot in 8 ms. The pipe thus speaks after
//! some periods, from the turbulence of its jet, and sounds flatter under less wind.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use arrayvec::ArrayVec;
use num_complex::{Complex32, Complex64};

use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::complex::{exp, modulus};
use touchback_core::math::pages;
use touchback_core::math::random::Random;

/// Density of air, kg/m³, and speed of sound, m/s.
const DENSITY: f64 = 1.2;
const SOUND_SPEED: f64 = 343.0;

/// Wind for which a pipe is voiced, Pa: 71 mm of water.
const VOICED: f64 = 700.0;

/// Strongest wind, Pa: that of the loudest stops.
const STRONGEST: f64 = 10_000.0;

/// Wind below which there is no jet, Pa; at [`VOICED`] the jet is six times as fast.
const WEAKEST: f64 = VOICED / 36.0;

/// Velocities of a period that the jet carries, at least; and periods on the longest way along the jet, at [`WEAKEST`].
const A_PERIOD: f64 = 64.0;
const LONGEST: f64 = 0.75;

/// Most modes of the column.
const MODES: usize = 8;

/// Stretch of the modes: mode k lies at k (1 + 2·10⁻⁴ (k² − 1)) (chosen: the open ends become shorter).
const STRETCH: f64 = 2e-4;

/// Diameter of the C of two feet, m, and its fall with the frequency's power [Töpfer: half at the 17th pipe].
const DIAMETER: (f64, f64) = (46e-3, 0.75);

/// Quality of a column without losses by wall and radiation (chosen: the mouth's, so that C4 speaks within 0.1 s).
const QUALITY: f64 = 50.0;

/// Speed of a displacement on the jet over the jet's own; width of the jet, and its shear layers, over the height
/// of the mouth and the jet's width [Auvray 2012: 0.4, 1/4 to 1/5, 2/5].
const CONVECTION: f64 = 0.4;
const JET: f64 = 0.2;
const SHEAR: f64 = 0.4;

/// Gain of the loop of jet and column without saturation, and distance of the lip from the jet's middle over the
/// width of a shear layer, which gives the even partials (chosen: a principal's voicing).
const GAIN: f64 = 8.0;
const OFFSET: f64 = 0.7;

/// Share of a jet's delay that lets a pipe sound in tune where its jet saturates (fitted: within 3 cents).
const DELAY: f64 = 0.96;

/// Contraction of the flow through the mouth, and time in which the foot fills, s.
const CONTRACTION: f64 = 0.6;
const FOOT: f64 = 8e-3;

/// Turbulence of the jet over the width of a shear layer (chosen).
const TURBULENCE: f64 = 2e-3;

/// Pressure at 1 m below which a pipe without wind ends, Pa.
const GATE: f64 = 1e-4;

/// A mode of the column: its state turns and shrinks by `step` a sample.
#[derive(Clone, Copy, Debug)]
struct Mode {
    state: Complex32,
    step: Complex32,
}

/// One pipe.
#[derive(Clone, Debug)]
pub(super) struct Pipe {
    key: KeyNumber,
    rate: f64,
    modes: ArrayVec<Mode, MODES>,
    /// Velocities at the mouth, m/s, on the way along the jet, one of `stride` samples; the next is at `next`.
    jet: Vec<f32>,
    next: usize,
    stride: usize,
    /// Samples since the last of them.
    since: usize,
    random: Random,
    /// Pressure in the foot and that to which it goes, Pa.
    pressure: f64,
    wind: f64,
    /// Velocity at the mouth, its share that the jet carries, and the jet's direction in the last sample.
    velocity: f64,
    carried: f64,
    switched: f64,
    /// Largest velocity of the modes in the last sample.
    level: f64,
    /// Of the tuning: velocity per pressure, delay at 1 m/s in samples, carried share a sample, displacement and pressure of
    /// the jet over velocity, sound over the change of velocity.
    mobility: f64,
    delay: f64,
    carry: f64,
    displacement: f64,
    drive: f64,
    radiation: f64,
    /// Velocity below which the pipe is inaudible, m/s.
    inaudible: f64,
}

impl Pipe {
    /// A pipe without wind. Allocates.
    pub(super) fn new(key: KeyNumber, rate: f64) -> Self {
        // A pipe may be tuned four octaves down; its jet is then cut short.
        let hz = 440.0 * libm::exp2((f64::from(key.midi()) - 69.0) / 12.0);
        let stride = floor_index(rate / (hz * A_PERIOD)).max(1);
        let longest = floor_index(LONGEST * rate / hz / stride as f64) + 4;
        Self {
            key,
            rate,
            modes: ArrayVec::new(),
            jet: pages::filled(0.0, longest),
            next: 0,
            stride,
            since: 0,
            random: Random::new(0),
            pressure: 0.0,
            wind: 0.0,
            velocity: 0.0,
            carried: 0.0,
            switched: 0.0,
            level: 0.0,
            mobility: 0.0,
            delay: 0.0,
            carry: 0.0,
            displacement: 0.0,
            drive: 0.0,
            radiation: 0.0,
            inaudible: f64::INFINITY,
        }
    }

    /// Tunes the pipe to `hz`; what sounds goes on.
    pub(super) fn tune(&mut self, hz: f64) {
        let step = 1.0 / self.rate;
        let radius = 0.5 * DIAMETER.0 * libm::pow(262.0 / hz, DIAMETER.1);
        let length = SOUND_SPEED / (2.0 * hz);
        let mut qualities = ArrayVec::<f64, MODES>::new();
        let mut modes = ArrayVec::<Mode, MODES>::new();
        for k in (1..=MODES).map(|k| k as f64) {
            let frequency = k * hz * (1.0 + STRETCH * (k * k - 1.0));
            if frequency > 0.4 * self.rate {
                break;
            }
            // Friction and conduction at the wall, and radiation of two open ends [Fletcher 1998].
            let wall = TAU * frequency * radius / (2.0 * SOUND_SPEED * 3e-5 * frequency.sqrt());
            let size = TAU * frequency * radius / SOUND_SPEED;
            let ends = PI * k / (4.0 * (0.25 * size * size).min(1.0));
            let quality = 1.0 / (1.0 / wall + 1.0 / ends + 1.0 / QUALITY);
            let loss = 0.5 / quality;
            let turn = TAU * frequency * step;
            let step = exp(Complex64::new(-turn * loss, turn * (1.0 - loss * loss).sqrt()));
            let state = self.modes.get(modes.len()).map_or(Complex32::ZERO, |mode| mode.state);
            modes.push(Mode { state, step: Complex32::new(single(step.re), single(step.im)) });
            qualities.push(quality);
        }
        self.modes = modes;
        let Some(quality) = qualities.first() else { return };
        // High frequencies grow less on the jet: a filter at the pipe's own frequency (chosen).
        self.carry = 1.0 - libm::exp(-TAU * hz * step);
        let turn = exp(Complex64::new(0.0, -TAU * hz * step));
        let filter = self.carry / (1.0 - (1.0 - self.carry) * turn);
        // The jet drives the first mode in phase.
        let delay = DELAY * (FRAC_PI_2 + libm::atan2(filter.im, filter.re)) / (TAU * hz);
        let mouth = delay * CONVECTION * (2.0 * VOICED / DENSITY).sqrt();
        let jet = JET * mouth;
        let stagnation = 4.0 / PI * (2.0 * jet * mouth).sqrt();
        let gain = GAIN * length / (2.0 * stagnation * JET * modulus(filter) * quality);
        self.mobility = 1.0 / (DENSITY * length) * step;
        self.delay = mouth / CONVECTION * self.rate;
        // Of the width of a shear layer.
        self.displacement = gain / SHEAR;
        self.drive = DENSITY * stagnation * SHEAR * JET * self.rate;
        // Even voicing: the pipes' sound falls with the root of the frequency without it.
        let voicing = (hz / 262.0).sqrt();
        self.radiation = voicing * DENSITY * PI * radius * radius / (4.0 * PI) * self.rate;
        self.inaudible = GATE / (self.radiation * TAU * hz * step);
    }

    /// Sets the wind, Pa.
    pub(super) fn blow(&mut self, pressure: f64) {
        if self.wind == 0.0 && self.level == 0.0 {
            self.random = Random::new(u64::from(self.key.number()));
        }
        self.wind = if pressure.is_finite() { pressure.clamp(0.0, STRONGEST) } else { 0.0 };
    }

    /// No wind and no sound.
    pub(super) fn silence(&mut self) {
        self.modes.iter_mut().for_each(|mode| mode.state = Complex32::ZERO);
        self.jet.fill(0.0);
        (self.next, self.since) = (0, 0);
        (self.pressure, self.wind, self.level) = (0.0, 0.0, 0.0);
        (self.velocity, self.carried, self.switched) = (0.0, 0.0, 0.0);
    }

    /// Whether a pipe without wind is inaudible.
    pub(super) fn has_faded(&self) -> bool {
        self.wind == 0.0 && self.pressure < WEAKEST && self.level < self.inaudible
    }

    /// The velocity that the jet had carried off `delay` samples ago.
    fn carried_off(&self, delay: f64) -> f64 {
        let longest = self.jet.len() - 3;
        let delay = ((delay - self.since as f64) / self.stride as f64).max(0.0);
        let whole = floor_index(delay).min(longest);
        let share = (delay - whole as f64).clamp(0.0, 1.0);
        let at = |ago: usize| {
            let index = self.next + self.jet.len() - 1 - ago;
            f64::from(self.jet[index % self.jet.len()])
        };
        (1.0 - share) * at(whole) + share * at(whole + 1)
    }

    /// Sound pressure at 1 m in the next sample, Pa.
    pub(super) fn next(&mut self) -> f64 {
        let noise = self.random.signed();
        self.pressure += (self.wind - self.pressure) / (FOOT * self.rate).max(1.0);
        let mut pressure = 0.0;
        if self.pressure > WEAKEST {
            let speed = (2.0 * self.pressure / DENSITY).sqrt();
            // Half a sample by the difference.
            let off = self.carried_off((self.delay / speed - 0.5).max(0.0));
            self.carried += self.carry * (off - self.carried);
            let place = self.displacement * self.carried / speed - OFFSET + TURBULENCE * noise;
            let switched = libm::tanh(place);
            pressure = self.drive * speed * (switched - self.switched);
            self.switched = switched;
        } else {
            self.switched = libm::tanh(-OFFSET);
        }
        let through = self.velocity / CONTRACTION;
        pressure -= 0.5 * DENSITY * through * through.abs();
        let (mut velocity, mut level) = (0.0, 0.0);
        let push = single(self.mobility * pressure);
        for mode in &mut self.modes {
            mode.state = mode.step * (mode.state + push);
            velocity += 2.0 * f64::from(mode.state.re);
            level += f64::from(mode.state.re.abs() + mode.state.im.abs());
        }
        let change = velocity - self.velocity;
        (self.velocity, self.level) = (velocity, level);
        if !level.is_finite() {
            self.silence();
            return 0.0;
        }
        self.since += 1;
        if self.since == self.stride {
            self.since = 0;
            self.jet[self.next] = single(velocity);
            self.next = (self.next + 1) % self.jet.len();
        }
        self.radiation * change
    }
}
