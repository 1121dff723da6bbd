//! The string in the action: a one-sided spring with hysteresis. The action has a string law of its own
//! because the sound engine's strings do not act back on the action.
//!
//! Contact time T and restitution e are those of the sound engine's hammer at its strings at [`SPEED`],
//! fitted by `touchback lab string-law`. For a hammer other than the concert grand's, T ∝ Π x^a and
//! e = e₀ + Σ b ln x; the ratios x are the hammer's mass, its felt's stiffness and its strike point, each
//! over the concert grand's. a and b differ for x below and above 1: the waves that return from the
//! string's near end arrive while the hammer is still on the string, or after it has left.

use touchback_core::math::compass::{linear, linear_rows, log_linear};
use touchback_core::mech::felt::Felt;
use touchback_core::mech::hammer::{CROWN, Hammer};

/// Hammer speed for which the tables are valid, m/s.
pub const SPEED: f64 = 2.5;

/// Contact time of hammer and string, s by key number.
///
/// Kept within a fifth of reference runs with the hammers and strings of [Chaigne 1994] at C2 and C7,
/// where the engine's contacts are shorter; A0 is the sum of the several contacts of a loud blow.
const CONTACT_TIME: [(f64, f64); 9] = [
    (1.0, 6.35e-3),
    (4.0, 6.14e-3),
    (16.0, 3.05e-3),
    (28.0, 2.57e-3),
    (40.0, 1.83e-3),
    (52.0, 1.29e-3),
    (64.0, 1.0e-3),
    (76.0, 0.635e-3),
    (88.0, 0.264e-3),
];

/// Share of its speed that the hammer keeps, by key number; same sources as [`CONTACT_TIME`].
const RESTITUTION: [(f64, f64); 9] = [
    (1.0, 0.15),
    (4.0, 0.195),
    (16.0, 0.39),
    (28.0, 0.49),
    (40.0, 0.59),
    (52.0, 0.67),
    (64.0, 0.78),
    (76.0, 0.84),
    (88.0, 0.77),
];

/// Limits of the restitution: below them the release would take longer than with any string, above
/// them the spring would return more energy than it received.
const LIMITS: (f64, f64) = (0.1, 0.98);

/// Dependence of T and e on one quantity of the hammer, by key number: exponent a below and above the
/// concert grand's value, slope b below and above.
type Response = [(f64, [f64; 4]); 9];

/// Dependence on the mass at the crown.
const BY_MASS: Response = [
    (1.0, [2.341, -0.314, 0.000, 0.256]),
    (4.0, [1.822, -0.174, 0.075, 0.272]),
    (16.0, [-0.186, 0.185, 0.281, 0.083]),
    (28.0, [0.507, 0.488, 0.149, 0.120]),
    (40.0, [0.455, 0.494, 0.129, 0.122]),
    (52.0, [0.452, 0.558, 0.111, 0.165]),
    (64.0, [0.626, 0.305, 0.121, 0.282]),
    (76.0, [0.551, 0.326, 0.097, 0.212]),
    (88.0, [0.599, 0.240, 0.070, 0.276]),
];

/// Dependence on the stiffness of the felt. A felt x times as stiff meets a speed v as the concert grand's meets
/// v x^(1/(p − 1)), p its exponent.
const BY_STIFFNESS: Response = [
    (1.0, [0.751, -0.055, 0.000, 0.004]),
    (4.0, [-0.149, -0.132, 0.038, 0.047]),
    (16.0, [-0.084, -0.065, -0.004, -0.002]),
    (28.0, [-0.059, -0.043, -0.023, -0.014]),
    (40.0, [-0.089, -0.066, -0.029, -0.017]),
    (52.0, [-0.067, -0.047, -0.025, -0.019]),
    (64.0, [-0.050, -0.035, -0.035, -0.026]),
    (76.0, [-0.070, -0.057, -0.037, -0.032]),
    (88.0, [-0.077, -0.068, -0.064, -0.055]),
];

/// Dependence on the strike point.
const BY_STRIKE_POINT: Response = [
    (1.0, [1.108, -2.087, -0.188, 0.000]),
    (4.0, [1.014, -0.494, -0.243, -0.096]),
    (16.0, [0.449, 0.921, -0.116, -0.218]),
    (28.0, [0.393, 0.357, -0.144, -0.214]),
    (40.0, [0.395, 0.428, -0.121, -0.156]),
    (52.0, [0.425, 0.826, -0.117, 0.094]),
    (64.0, [0.611, 0.264, -0.057, 0.316]),
    (76.0, [0.647, 0.351, 0.026, 0.255]),
    (88.0, [0.652, 0.355, -0.007, 0.410]),
];

/// The string of key number `n` for `hammer`; `concert` is the concert grand's hammer of that key.
#[must_use]
pub fn of(n: f64, hammer: &Hammer, concert: &Hammer) -> Felt {
    let quantities = [
        (&BY_MASS, hammer.mass / concert.mass),
        (&BY_STIFFNESS, hammer.felt.stiffness / concert.felt.stiffness),
        (&BY_STRIKE_POINT, hammer.strike_point / concert.strike_point),
    ];
    let (mut longer, mut livelier) = (0.0, 0.0);
    for (response, ratio) in quantities {
        let ([a_below, a_above, b_below, b_above], x) =
            (linear_rows(response, n), libm::log(ratio));
        let (a, b) = if x < 0.0 { (a_below, b_below) } else { (a_above, b_above) };
        longer += a * x;
        livelier += b * x;
    }
    let time = log_linear(&CONTACT_TIME, n) * libm::exp(longer);
    let restitution = (linear(&RESTITUTION, n) + livelier).clamp(LIMITS.0, LIMITS.1);
    like(hammer.inertia / (CROWN * CROWN), time, restitution)
}

/// A one-sided spring that a hammer of effective mass `mass` kg at [`SPEED`] touches for about `time` s
/// and leaves at `restitution` (0…1) of that speed.
///
/// With p = 3/2 the contact lasts C (m/K)^0.4 v^−0.2, C = 3.218 (from the beta function).
#[must_use]
pub fn like(mass: f64, time: f64, restitution: f64) -> Felt {
    let hysteresis = (1.0 - restitution * restitution) / (1.0 + restitution * restitution);
    // Hysteresis shortens the compression and lengthens the release: mean of both quarter-swings.
    let swings = 0.5
        * (libm::pow(1.0 + hysteresis, -0.5) + libm::pow(1.0 - hysteresis, -0.5))
        * libm::pow(1.0 + hysteresis, 0.1);
    let c = 3.218 * swings;
    let stiffness = mass * libm::pow(c / time, 2.5) * libm::pow(SPEED, -0.5);
    Felt { hysteresis, ..Felt::new(stiffness, 1.5, 0.0) }
}
