//! Felt against string: one strike offline, in steps of [`MovingHammer`].

mod hammer;

use std::f64::consts::PI;

use num_complex::Complex64;

use crate::tuning::scale::StringSpec;
pub use hammer::MovingHammer;
use touchback_core::exchange::cancel;
use touchback_core::math::complex::polar;
use touchback_core::mech::hammer::{Hammer, HammerFelt};

/// Measurements of one strike.
#[derive(Clone, PartialEq, Debug)]
pub struct ContactReport {
    /// First to last instant of force, s; gaps between contacts included.
    pub contact_time: f64,
    /// Largest force against all strings, N.
    pub peak_force: f64,
    /// Momentum given to the strings over the hammer's own, 1…2.
    pub impulse_ratio: f64,
    /// Rebound speed over strike speed.
    pub restitution: f64,
    /// Energy lost in the felt over the hammer's initial energy.
    pub felt_loss: f64,
    /// Error of the energy balance over the hammer's initial energy.
    pub energy_error: f64,
    /// Force of each step, N.
    pub forces: Vec<f64>,
    /// Step rate, Hz.
    pub rate: f64,
}

/// Time clear of `string` after which `hammer` does not meet it again, s: its wave toward the near end has
/// returned. In the lowest octave the hammer has left long before.
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
    cancel::check();
    let h = 1.0 / rate;
    let mut modes = Modes::new(hammer, string, (0.45 * rate).min(limit_hz), h);
    let mut head = MovingHammer::new(hammer, 0.0, 0.0, speed);
    let initial_energy = head.energy();
    let (mut forces, mut dissipated, mut last, mut clear) = (Vec::new(), 0.0, 0, 0.0);
    let gone = gone(hammer, string);
    while clear < gone && forces.len() as f64 * h < 0.06 {
        let before = (head.elastic(), head.compression());
        let force = head.step(modes.advance(), modes.compliance, h, true);
        modes.push(force);
        dissipated += force * (head.compression() - before.1) - (head.elastic() - before.0);
        forces.push(force);
        if force > 0.0 {
            last = forces.len();
            clear = 0.0;
        } else if head.compression() <= 0.0 {
            clear += h;
        }
    }
    forces.truncate(last);
    let impulse: f64 = forces.iter().sum::<f64>() * h;
    ContactReport {
        contact_time: last as f64 * h,
        peak_force: forces.iter().copied().fold(0.0, f64::max),
        impulse_ratio: impulse / (hammer.mass * speed),
        restitution: -head.speed() / speed,
        felt_loss: dissipated / initial_energy,
        energy_error: (head.energy() + modes.energy() + dissipated - initial_energy).abs()
            / initial_energy,
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
            let turn = polar(1.0, omega * h);
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

/// One of the three published string and hammer sets of [Chaigne 1994]. Their masses and stiffness are
/// per string, so that any number of strings gives the same motion.
#[must_use]
pub fn chaigne_askenfelt(note: ReferenceNote) -> (Hammer, StringSpec) {
    // Length m, string mass kg, pitch Hz, stiffness ε, hammer mass kg, K, p, strings. The pitch
    // gives the tension: for C2 the printed 750 N would give 53 Hz.
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
    fn contacts_agree_with_an_independent_solver() {
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
    fn momentum_agrees_with_an_independent_solver() {
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
    fn energy_balances_at_every_rate_and_the_felt_only_absorbs() {
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
