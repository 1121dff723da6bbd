//! The string as the action feels it: a one-sided spring with hysteresis, a law of its own because
//! nothing returns from the sound to the action.
//!
//! Its contact time T and restitution e are those of the sound engine's hammer at its strings at
//! [`SPEED`], fitted by `touchback lab string-law`. Another hammer than the concert grand's changes
//! them by T ∝ Π x^a, e = e₀ + Σ b ln x, where x are its mass, its felt's stiffness and its strike
//! point over the concert grand's; a and b differ for x below and above 1, where the waves that
//! return from the string's near end find the hammer still there or gone.

use crate::math::compass::{linear, linear_rows, log_linear};
use crate::mech::felt::Felt;
use crate::mech::hammer::{CROWN, Hammer};

/// Hammer speed at which the tables hold, m/s.
pub const SPEED: f64 = 2.5;

/// Contact time of hammer and string, s by key number.
///
/// Held within a fifth of reference runs with the hammers and strings of [Chaigne 1994] at C2 and
/// C7, where the engine's are shorter; A0 is the sum of the several touches of a loud blow.
const CONTACT_TIME: [(f64, f64); 9] = [
    (1.0, 6.35e-3),
    (4.0, 6.14e-3),
    (16.0, 3.05e-3),
    (28.0, 2.57e-3),
    (40.0, 1.83e-3),
    (52.0, 1.27e-3),
    (64.0, 0.94e-3),
    (76.0, 0.66e-3),
    (88.0, 0.30e-3),
];

/// Share of its speed that the hammer keeps, by key number; as [`CONTACT_TIME`].
const RESTITUTION: [(f64, f64); 9] = [
    (1.0, 0.15),
    (4.0, 0.195),
    (16.0, 0.39),
    (28.0, 0.49),
    (40.0, 0.59),
    (52.0, 0.66),
    (64.0, 0.72),
    (76.0, 0.88),
    (88.0, 0.74),
];

/// Restitution that the law is kept to: beyond, the way out takes longer than any string, or the
/// spring would give more than it got.
const LIMITS: (f64, f64) = (0.1, 0.98);

/// How T and e answer to one quantity of the hammer, by key number: exponent a below and above the
/// concert grand's value, slope b below and above.
type Response = [(f64, [f64; 4]); 9];

/// Mass at the crown.
const BY_MASS: Response = [
    (1.0, [2.452, -0.235, 0.000, 0.262]),
    (4.0, [1.997, -0.154, 0.079, 0.274]),
    (16.0, [-0.164, 0.187, 0.282, 0.089]),
    (28.0, [0.514, 0.492, 0.153, 0.121]),
    (40.0, [0.455, 0.498, 0.130, 0.124]),
    (52.0, [0.439, 0.591, 0.123, 0.181]),
    (64.0, [0.697, 0.303, 0.188, 0.287]),
    (76.0, [0.285, 0.375, 0.296, 0.031]),
    (88.0, [0.237, 0.346, 0.306, 0.153]),
];

/// Stiffness of the felt. A felt x times as stiff meets a speed v as the concert grand's meets
/// v x^(1/(p − 1)), p its exponent.
const BY_STIFFNESS: Response = [
    (1.0, [0.833, -0.097, -0.027, 0.029]),
    (4.0, [0.314, -0.154, 0.035, 0.062]),
    (16.0, [-0.093, -0.074, -0.007, -0.002]),
    (28.0, [-0.063, -0.049, -0.026, -0.015]),
    (40.0, [-0.089, -0.063, -0.029, -0.017]),
    (52.0, [-0.070, -0.029, -0.019, -0.013]),
    (64.0, [-0.031, -0.018, -0.022, -0.018]),
    (76.0, [-0.041, -0.020, -0.002, -0.001]),
    (88.0, [-0.065, -0.032, -0.013, -0.011]),
];

/// Strike point.
const BY_STRIKE_POINT: Response = [
    (1.0, [1.044, -2.260, -0.186, 0.000]),
    (4.0, [1.012, -0.651, -0.240, -0.100]),
    (16.0, [0.481, 0.913, -0.120, -0.215]),
    (28.0, [0.401, 0.344, -0.144, -0.216]),
    (40.0, [0.394, 0.436, -0.119, -0.155]),
    (52.0, [0.421, 0.882, -0.087, 0.114]),
    (64.0, [0.703, 0.247, 0.024, 0.319]),
    (76.0, [0.603, 0.303, 0.265, -0.012]),
    (88.0, [0.685, 0.506, 0.358, 0.192]),
];

/// The string of key number `n` for `hammer`, `concert` being the concert grand's of that key.
#[must_use]
pub fn of(n: f64, hammer: &Hammer, concert: &Hammer) -> Felt {
    let quantities = [
        (&BY_MASS, hammer.mass / concert.mass),
        (&BY_STIFFNESS, hammer.felt.stiffness / concert.felt.stiffness),
        (&BY_STRIKE_POINT, hammer.strike_point / concert.strike_point),
    ];
    let (mut longer, mut livelier) = (0.0, 0.0);
    for (response, ratio) in quantities {
        let ([a_below, a_above, b_below, b_above], x) = (linear_rows(response, n), ratio.ln());
        let (a, b) = if x < 0.0 { (a_below, b_below) } else { (a_above, b_above) };
        longer += a * x;
        livelier += b * x;
    }
    let time = log_linear(&CONTACT_TIME, n) * longer.exp();
    let restitution = (linear(&RESTITUTION, n) + livelier).clamp(LIMITS.0, LIMITS.1);
    like(hammer.inertia / (CROWN * CROWN), time, restitution)
}

/// A one-sided spring that keeps a hammer of effective mass `mass` kg for about `time` s at [`SPEED`]
/// and throws it back at `restitution` (0…1) of its speed.
///
/// With p = 3/2 the contact lasts C (m/K)^0.4 v^−0.2, C = 3.218 (from the beta function).
#[must_use]
pub fn like(mass: f64, time: f64, restitution: f64) -> Felt {
    let hysteresis = (1.0 - restitution * restitution) / (1.0 + restitution * restitution);
    // Hysteresis shortens the way in and lengthens the way out: mean of both quarter-swings.
    let swings = 0.5
        * ((1.0 + hysteresis).powf(-0.5) + (1.0 - hysteresis).powf(-0.5))
        * (1.0 + hysteresis).powf(0.1);
    let c = 3.218 * swings;
    let stiffness = mass * (c / time).powf(2.5) * SPEED.powf(-0.5);
    Felt { hysteresis, ..Felt::new(stiffness, 1.5, 0.0) }
}
