//! Felt against string: the contact of one hammer, step by step, and one strike offline.
//!
//! Over a step h the contact force F is constant. A modal string driven so moves exactly to
//! y1 = y_free + c F, and a free mass to x1 = x + v h − F h²/2m, so the compression ξ = x − y ends
//! at ξ1 = ξ_free − (c + h²/2m) F. The felt answers with
//!
//! F = max(0, (Φ(ξ1) − Φ(ξ0))/(ξ1 − ξ0) + K α (ξ1^p − ξ0^p)/h),  Φ = K ξ^(p+1)/(p+1)
//!
//! The first term's work is exactly the change of the felt's energy, the second is never negative
//! work: the step conserves energy to rounding and is passive for any h. The right side grows with
//! ξ1, so the residual in ξ1 is strictly monotone and Newton inside a shrinking bracket always
//! arrives.

use std::f64::consts::PI;

use touchback_fft::num_complex::Complex64;

use crate::mech::hammer::{Hammer, HammerFelt};
use crate::sound::scale::StringSpec;

/// A hammer in flight or contact.
#[derive(Clone, Copy, Debug)]
pub struct MovingHammer {
    mass: f64,
    felt: HammerFelt,
    position: f64,
    speed: f64,
    compression: f64,
    /// The compression to the felt's exponent.
    power: f64,
    /// Force of the last step and of the one before, N.
    force: [f64; 2],
}

impl MovingHammer {
    /// `hammer`, `gap` metres short of the string, which stands at `string`, moving at `speed` m/s.
    #[must_use]
    pub const fn new(hammer: &Hammer, string: f64, gap: f64, speed: f64) -> Self {
        let Hammer { mass, felt, .. } = *hammer;
        let (position, compression) = (string - gap, -gap);
        Self { mass, felt, position, speed, compression, power: 0.0, force: [0.0; 2] }
    }

    /// Felt compression, m; negative when clear of the string.
    #[must_use]
    pub const fn compression(&self) -> f64 {
        self.compression
    }

    /// It moves away from the string and is farther than `reach` m, the most the string can
    /// displace.
    #[must_use]
    pub const fn is_out_of(&self, reach: f64) -> bool {
        self.speed < 0.0 && self.position < -reach
    }

    /// Speed toward the string, m/s.
    #[must_use]
    pub const fn speed(&self) -> f64 {
        self.speed
    }

    /// Kinetic and elastic energy, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        0.5 * self.mass * self.speed * self.speed + self.elastic(self.compression)
    }

    fn elastic(&self, xi: f64) -> f64 {
        let p = self.felt.exponent;
        if xi > 0.0 { self.felt.stiffness * xi.powf(p + 1.0) / (p + 1.0) } else { 0.0 }
    }

    /// A compression to the felt's exponent; 0 where it is clear.
    #[inline]
    fn raised(&self, xi: f64) -> f64 {
        if xi > 0.0 { xi.powf(self.felt.exponent) } else { 0.0 }
    }

    /// Flies on for `h` seconds, clear of the string, which is then at `string` metres.
    pub fn coast(&mut self, string: f64, h: f64) {
        self.position += h * self.speed;
        self.compression = self.position - string;
        // A string that moves into the hammer within `h` is found in contact at the next step: the
        // contact starts up to one step late.
        self.power = self.raised(self.compression);
        self.force = [0.0; 2];
    }

    /// Advances by `h` seconds against a string that would come to `y_free` metres by itself and
    /// yields `compliance` m/N over the step; returns the force of the step, N.
    pub fn step(&mut self, y_free: f64, compliance: f64, h: f64) -> f64 {
        let kick = h / self.mass;
        let x_free = self.position + h * self.speed;
        let xi_free = x_free - y_free;
        let (force, power) = if xi_free <= 0.0 && self.compression <= 0.0 {
            (0.0, 0.0)
        } else {
            self.solve(xi_free, compliance + 0.5 * h * kick, h)
        };
        self.compression = xi_free - (compliance + 0.5 * h * kick) * force;
        self.position = x_free - 0.5 * h * kick * force;
        self.speed -= kick * force;
        self.power = power;
        self.force = [force, self.force[0]];
        force
    }

    /// Force at which felt and motion agree: the root of ξ1 − ξ_free + c F(ξ1); and ξ1 to the felt's
    /// exponent.
    fn solve(&self, xi_free: f64, c: f64, h: f64) -> (f64, f64) {
        let HammerFelt { stiffness: k, exponent: p, relaxation, .. } = self.felt;
        let xi0 = self.compression;
        let u0 = self.power;
        let phi0 = xi0.max(0.0) * u0 / (p + 1.0);
        let viscous = relaxation / h;
        // Felt force at the end compression and its slope, both over K.
        let felt = |xi1: f64| {
            let u1 = self.raised(xi1);
            let du1 = if xi1 > 0.0 { p * u1 / xi1 } else { 0.0 };
            let d = xi1 - xi0;
            let (mean, slope) = if d.abs() < 1e-6 * xi0.abs().max(xi1.abs()) {
                (0.5 * (u0 + u1), 0.5 * du1)
            } else {
                let mean = (xi1.max(0.0) * u1 / (p + 1.0) - phi0) / d;
                (mean, (u1 - mean) / d)
            };
            (mean + viscous * (u1 - u0), slope + viscous * du1, (u1, du1))
        };
        let ck = c * k;
        let (mut low, mut high) = (f64::NEG_INFINITY, xi_free);
        // First guess: the force extrapolated linearly from the last two steps.
        let mut xi1 = xi_free - c * (2.0 * self.force[0] - self.force[1]).max(0.0);
        let mut power = 0.0;
        for _ in 0..80 {
            let (f, slope, (u1, du1)) = felt(xi1);
            let residual = xi1 - xi_free + ck * f.max(0.0);
            if residual > 0.0 {
                high = high.min(xi1);
            } else {
                low = low.max(xi1);
            }
            let gradient = if f > 0.0 { 1.0 + ck * slope } else { 1.0 };
            let newton = xi1 - residual / gradient;
            let inside = newton >= low && newton <= high;
            if !inside && low == f64::NEG_INFINITY {
                // The force is largest at ξ_free, so the root is not below this.
                low = xi_free - ck * felt(xi_free).0.max(0.0);
            }
            let next = if inside { newton } else { 0.5 * (low + high) };
            let step = (next - xi1).abs();
            power = if next > 0.0 { (u1 + du1 * (next - xi1)).max(0.0) } else { 0.0 };
            xi1 = next;
            // Newton squares its error: the step after this one would change less than single
            // precision shows.
            if inside && step <= 3e-5 * xi1.abs() + 1e-18 || step == 0.0 {
                break;
            }
        }
        (((xi_free - xi1) / c).max(0.0), power)
    }
}

/// Measurements of one strike.
#[derive(Clone, PartialEq, Debug)]
pub struct ContactReport {
    /// First to last instant of force, s; gaps between touches included.
    pub contact_time: f64,
    /// Largest force against all strings, N.
    pub peak_force: f64,
    /// Momentum given to the strings over the hammer's own, 1…2.
    pub impulse_ratio: f64,
    /// Rebound speed over strike speed.
    pub restitution: f64,
    /// Energy lost in the felt over the hammer's own.
    pub felt_loss: f64,
    /// Error of the energy balance over the hammer's own energy.
    pub energy_error: f64,
    /// Force of each step, N.
    pub forces: Vec<f64>,
    /// Steps a second.
    pub rate: f64,
}

/// `hammer` clear of `string` for this long will not meet it again, s: the wave it sent toward the
/// near end has returned. In the lowest octave that is long after it has left.
#[must_use]
pub fn gone(hammer: &Hammer, string: &StringSpec) -> f64 {
    2e-3 + string.answer_time(hammer)
}

/// Highest partial of [`strike_offline`], Hz.
const LIMIT_HZ: f64 = 20_000.0;

/// Strikes resting strings without loss once, at `speed` m/s, in steps of 1/`rate` s.
///
/// The string is fixed at both ends and has its partials below 20 kHz (and 0.45 `rate`). Ends when
/// the hammer has been clear of the string for [`gone`], at the latest after 60 ms.
#[must_use]
pub fn strike_offline(
    hammer: &Hammer,
    string: &StringSpec,
    speed: f64,
    rate: f64,
) -> ContactReport {
    strike_below(LIMIT_HZ, hammer, string, speed, rate)
}

/// Like [`strike_offline`] with the partials below `limit_hz` Hz (and 0.45 `rate`).
#[must_use]
pub fn strike_below(
    limit_hz: f64,
    hammer: &Hammer,
    string: &StringSpec,
    speed: f64,
    rate: f64,
) -> ContactReport {
    let h = 1.0 / rate;
    let mut modes = Modes::new(hammer, string, (0.45 * rate).min(limit_hz), h);
    let mut head = MovingHammer::new(hammer, 0.0, 0.0, speed);
    let own = head.energy();
    let (mut forces, mut dissipated, mut last, mut clear) = (Vec::new(), 0.0, 0, 0.0);
    let gone = gone(hammer, string);
    while clear < gone && forces.len() as f64 * h < 0.06 {
        let before = (head.elastic(head.compression), head.compression);
        let force = head.step(modes.advance(), modes.compliance, h);
        modes.push(force);
        dissipated +=
            force * (head.compression - before.1) - (head.elastic(head.compression) - before.0);
        forces.push(force);
        if force > 0.0 {
            last = forces.len();
            clear = 0.0;
        } else if head.compression <= 0.0 {
            clear += h;
        }
    }
    forces.truncate(last);
    let impulse: f64 = forces.iter().sum::<f64>() * h;
    ContactReport {
        contact_time: last as f64 * h,
        peak_force: forces.iter().copied().fold(0.0, f64::max),
        impulse_ratio: impulse / (hammer.mass * speed),
        restitution: -head.speed / speed,
        felt_loss: dissipated / own,
        energy_error: (head.energy() + modes.energy() + dissipated - own).abs() / own,
        forces,
        rate,
    }
}

/// Modes of N equal strings moving together, in double precision.
struct Modes {
    state: Vec<Complex64>,
    turn: Vec<Complex64>,
    push: Vec<Complex64>,
    shape: Vec<f64>,
    /// Modal mass times ω², for the energy.
    stiffness: Vec<f64>,
    compliance: f64,
}

impl Modes {
    fn new(hammer: &Hammer, string: &StringSpec, limit_hz: f64, h: f64) -> Self {
        let count = string.partials_below(limit_hz);
        let mass = 0.5 * string.mass() * string.strings as f64;
        let mut modes = Self {
            state: vec![Complex64::ZERO; count],
            turn: Vec::with_capacity(count),
            push: Vec::with_capacity(count),
            shape: (1..=count).map(|k| string.strike_shape(hammer, k)).collect(),
            stiffness: Vec::with_capacity(count),
            compliance: 0.0,
        };
        for k in 1..=count {
            let omega = 2.0 * PI * string.partial_hz(k);
            let turn = Complex64::cis(omega * h);
            // Constant force for one step, exactly: (e^{iωh} − 1)/(iω) times 1/(i m ω).
            let push = (1.0 - turn) * (modes.shape[k - 1] / (mass * omega * omega));
            modes.turn.push(turn);
            modes.push.push(push);
            modes.stiffness.push(mass * omega * omega);
            modes.compliance += modes.shape[k - 1] * push.re;
        }
        modes
    }

    fn advance(&mut self) -> f64 {
        let mut y = 0.0;
        for ((w, turn), shape) in self.state.iter_mut().zip(&self.turn).zip(&self.shape) {
            *w *= turn;
            y += shape * w.re;
        }
        y
    }

    fn push(&mut self, force: f64) {
        for (w, push) in self.state.iter_mut().zip(&self.push) {
            *w += push * force;
        }
    }

    fn energy(&self) -> f64 {
        self.state.iter().zip(&self.stiffness).map(|(w, k)| 0.5 * k * w.norm_sqr()).sum()
    }
}

/// One of the three published string and hammer sets of [Chaigne 1994]; masses and stiffness there
/// are per string, so that any number of strings gives the same motion.
#[must_use]
pub fn chaigne_askenfelt(note: ReferenceNote) -> (Hammer, StringSpec) {
    // Length m, string mass kg, pitch Hz, stiffness ε, hammer mass kg, K, p, strings. The pitch
    // stands for the tension: for C2 the printed 750 N would give 53 Hz.
    let (length, mass, ideal_hz, epsilon, head, stiffness, exponent, strings) = match note {
        ReferenceNote::C2 => (1.9, 0.035, 65.4, 7.5e-6, 4.9e-3, 4.0e8, 2.3, 2),
        ReferenceNote::C4 => (0.62, 3.93e-3, 262.2, 3.82e-5, 2.97e-3, 4.5e9, 2.5, 3),
        ReferenceNote::C7 => (0.09, 4.67e-4, 2112.0, 8.67e-4, 2.2e-3, 1.0e12, 3.0, 3),
    };
    let density = mass / length;
    let count = strings as f64;
    (
        Hammer::point(
            count * head,
            HammerFelt { stiffness: count * stiffness, exponent, relaxation: 0.0, width: 0.0 },
            0.12,
        ),
        StringSpec {
            length,
            density,
            ideal_hz,
            inharmonicity: PI * PI * epsilon,
            strings,
            loss: 0.0,
            loss_slope: 0.0,
        },
    )
}

/// The notes of [`chaigne_askenfelt`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReferenceNote {
    /// The C two octaves below middle C.
    C2,
    /// Middle C.
    C4,
    /// The C three octaves above middle C.
    C7,
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 192_000.0;

    /// Contact time s and peak force N at 1, 2, 4 and 6 m/s of an independent solver
    /// (explicit steps at 1.536 MHz) with the same parameters.
    const REFERENCE: [(ReferenceNote, [(f64, f64); 4]); 3] = [
        (ReferenceNote::C2, [(3.67e-3, 11.0), (3.31e-3, 25.0), (3.03e-3, 56.0), (2.90e-3, 88.0)]),
        (ReferenceNote::C4, [(2.26e-3, 13.0), (2.06e-3, 28.0), (1.91e-3, 61.0), (1.84e-3, 95.0)]),
        (ReferenceNote::C7, [(0.92e-3, 27.0), (0.78e-3, 60.0), (0.69e-3, 127.0), (0.66e-3, 196.0)]),
    ];

    #[test]
    fn contacts_of_an_independent_solver_are_met() {
        for (note, rows) in REFERENCE {
            let (hammer, string) = chaigne_askenfelt(note);
            for (speed, (time, force)) in [1.0, 2.0, 4.0, 6.0].into_iter().zip(rows) {
                let report = strike_offline(&hammer, &string, speed, RATE);
                let (t, f) = (report.contact_time / time, report.peak_force / force);
                assert!((t - 1.0).abs() < 0.02, "{note:?} {speed} m/s: contact {t} of reference");
                // The reference forces are printed to the newton.
                let rounding = 0.5 / force;
                assert!((f - 1.0).abs() < 0.03 + rounding, "{note:?} {speed} m/s: force {f}");
            }
        }
    }

    #[test]
    fn momentum_given_is_the_references() {
        for (note, low, high) in [
            (ReferenceNote::C2, 1.45, 1.50),
            (ReferenceNote::C4, 1.60, 1.75),
            (ReferenceNote::C7, 1.98, 2.00),
        ] {
            let (hammer, string) = chaigne_askenfelt(note);
            let ratio = strike_offline(&hammer, &string, 2.0, RATE).impulse_ratio;
            assert!(ratio > 0.97 * low && ratio < 1.03 * high, "{note:?}: {ratio}");
        }
    }

    #[test]
    fn energy_balances_at_every_rate_and_the_felt_only_takes() {
        for note in [ReferenceNote::C2, ReferenceNote::C4, ReferenceNote::C7] {
            let (mut hammer, string) = chaigne_askenfelt(note);
            for relaxation in [0.0, 2e-5, 2e-4] {
                hammer.felt.relaxation = relaxation;
                for rate in [44_100.0, 192_000.0] {
                    let report = strike_offline(&hammer, &string, 5.0, rate);
                    assert!(report.energy_error < 1e-9, "{note:?}: {}", report.energy_error);
                    assert!(report.felt_loss > -1e-9 && report.felt_loss < 1.0);
                    assert!((relaxation == 0.0) == (report.felt_loss < 1e-6));
                }
            }
        }
    }

    #[test]
    fn extreme_hammers_stay_finite() {
        let (base, string) = chaigne_askenfelt(ReferenceNote::C7);
        for stiffness in [1e3, 1e9, 1e16] {
            for relaxation in [0.0, 1e-2] {
                for speed in [1e-4, 0.1, 30.0] {
                    let felt = HammerFelt { stiffness, relaxation, ..base.felt };
                    let hammer = Hammer { felt, ..base };
                    let report = strike_offline(&hammer, &string, speed, 48_000.0);
                    assert!(report.peak_force.is_finite() && report.energy_error < 1e-6);
                }
            }
        }
    }
}
