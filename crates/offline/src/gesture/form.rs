//! The parametric forms of a gesture and their constants.

use serde::Deserialize;

use super::Channel;
use touchback_action::STEP;
use touchback_action::interface::hand::{self, PRESSING, STRIKING};
use touchback_core::math::power::square;

/// One part of a gesture. Every `duration_s` is the part's length, s.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case", deny_unknown_fields)]
pub enum Form {
    /// A hand at rest on the key whose muscle presses the key down: pressed touch.
    Pressed {
        /// Force of the muscle once it is fully active, N.
        force_n: f64,
        /// Length of the part, s.
        duration_s: f64,
        /// Mass of the hand, kg.
        #[serde(default = "hand_mass")]
        mass_kg: f64,
        /// Stiffness of the one-sided tip, N/m.
        #[serde(default = "hand_stiffness")]
        stiffness_n_m: f64,
        /// Damping of the tip, N·s/m.
        #[serde(default = "hand_damping")]
        damping_n_s_m: f64,
        /// Loss of muscle force with speed, N·s/m.
        #[serde(default = "hand_drag")]
        drag_n_s_m: f64,
        /// Time constant of the muscle's activation, s; `None`: [`hand::rise`] of the force.
        rise_s: Option<f64>,
    },
    /// A finger whose target moves down from the key at constant speed.
    PressedEvenly {
        /// Speed of the target, m/s.
        speed_m_s: f64,
        /// Length of the part, s.
        duration_s: f64,
        /// Depth at which the target stops, m.
        #[serde(default = "pressed_depth")]
        depth_m: f64,
        /// Damping of the fingertip, N·s/m; `None`: that of the column `finger_m`, 2 % of critical for a grand's key.
        /// Fingertips have 5 to 10 N·s/m, as [`PRESSING`].
        damping_n_s_m: Option<f64>,
    },
    /// A finger that arrives at the key with a speed: struck touch. Its muscle holds the speed until the key is
    /// met, then pushes harder.
    Struck {
        /// Speed on arrival, m/s.
        speed_m_s: f64,
        /// Length of the part, s.
        duration_s: f64,
        /// Mass of the finger, kg.
        #[serde(default = "finger_mass")]
        mass_kg: f64,
        /// Stiffness of the one-sided tip, N/m.
        #[serde(default = "finger_stiffness")]
        stiffness_n_m: f64,
        /// Damping of the tip, N·s/m.
        #[serde(default = "finger_damping")]
        damping_n_s_m: f64,
        /// Loss of muscle force with speed, N·s/m; until the arrival, the muscle's force is this value times the
        /// speed.
        #[serde(default = "finger_drag")]
        drag_n_s_m: f64,
        /// Force by which the muscle rises from the arrival on, N; `None`: [`hand::following_force`] of the speed.
        /// 0, with a drag of 0, makes the finger a free mass.
        force_n: Option<f64>,
        /// Time constant of that rise, s.
        #[serde(default = "finger_rise")]
        rise_s: f64,
    },
    /// A weight placed on the key, or dropped on it from a height.
    Weight {
        /// Mass, kg.
        mass_kg: f64,
        /// Length of the part, s.
        duration_s: f64,
        /// Height of fall above the key, m; 0 places the weight.
        #[serde(default)]
        height_m: f64,
        /// Stiffness between weight and key, N/m.
        #[serde(default = "weight_stiffness")]
        stiffness_n_m: f64,
        /// Damping between weight and key, N·s/m.
        #[serde(default = "weight_damping")]
        damping_n_s_m: f64,
    },
    /// A linear change of one quantity from its present value.
    Ramp {
        /// The quantity.
        channel: Channel,
        /// Final value, in the quantity's unit.
        to: f64,
        /// Length of the part, s.
        duration_s: f64,
    },
    /// The previous part continues: a curve keeps its value, a mass keeps moving.
    Hold {
        /// Length of the part, s.
        duration_s: f64,
    },
    /// The key is released: at once, or by a finger rising at constant speed.
    Release {
        /// Length of the part, s.
        duration_s: f64,
        /// Speed of the rising finger or jig, m/s; `None`: released at once.
        speed_m_s: Option<f64>,
    },
    /// Other parts, several times.
    Repeat {
        /// Number of repetitions.
        times: u32,
        /// The parts, one after another.
        part: Vec<Form>,
    },
}

/// Deepest target of a pressing finger, m: 15 N at the bed of a 10 mm dip through 500 N/m, the
/// force of a mezzoforte (chosen).
const fn pressed_depth() -> f64 {
    0.04
}

const fn hand_mass() -> f64 {
    PRESSING.mass
}

const fn hand_stiffness() -> f64 {
    PRESSING.stiffness
}

const fn hand_damping() -> f64 {
    PRESSING.damping
}

const fn hand_drag() -> f64 {
    PRESSING.drag
}

const fn finger_mass() -> f64 {
    STRIKING.mass
}

const fn finger_stiffness() -> f64 {
    STRIKING.stiffness
}

const fn finger_damping() -> f64 {
    STRIKING.damping
}

const fn finger_drag() -> f64 {
    STRIKING.drag
}

const fn finger_rise() -> f64 {
    hand::FOLLOWING_RISE
}

/// A brass weight on a key's surface: 20 times the key-bed's static stiffness of a pressed felt,
/// so that 50 g sink 25 µm (chosen; stiff beside every felt of the action).
const fn weight_stiffness() -> f64 {
    20_000.0
}

/// About a third of critical for 50 g on that stiffness (chosen).
const fn weight_damping() -> f64 {
    20.0
}

impl Form {
    /// Length, s; 0 for a repetition, whose parts have lengths of their own.
    #[must_use]
    pub const fn duration(&self) -> f64 {
        match self {
            Self::Pressed { duration_s, .. }
            | Self::PressedEvenly { duration_s, .. }
            | Self::Struck { duration_s, .. }
            | Self::Weight { duration_s, .. }
            | Self::Ramp { duration_s, .. }
            | Self::Hold { duration_s }
            | Self::Release { duration_s, .. } => *duration_s,
            Self::Repeat { .. } => 0.0,
        }
    }

    /// The first value out of range, as an error message.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        let mut checks: Vec<(&str, f64, f64, f64)> = Vec::new();
        match *self {
            Self::Pressed {
                force_n,
                mass_kg,
                stiffness_n_m,
                damping_n_s_m,
                drag_n_s_m,
                rise_s,
                ..
            } => {
                checks.push(("force_n", force_n, 1e-3, 1000.0));
                checks.extend(rise_s.map(|rise| ("rise_s", rise, 1e-3, 1.0)));
                checks.extend(contact(mass_kg, stiffness_n_m, damping_n_s_m));
                checks.push(drag(mass_kg, drag_n_s_m));
            }
            Self::PressedEvenly { speed_m_s, depth_m, damping_n_s_m, .. } => {
                checks.push(("speed_m_s", speed_m_s, 1e-5, 20.0));
                checks.push(("depth_m", depth_m, 1e-4, 1.0));
                checks.push(("damping_n_s_m", damping_n_s_m.unwrap_or(0.0), 0.0, 100.0));
            }
            Self::Struck {
                speed_m_s,
                mass_kg,
                stiffness_n_m,
                damping_n_s_m,
                drag_n_s_m,
                force_n,
                rise_s,
                ..
            } => {
                checks.push(("speed_m_s", speed_m_s, 0.0, 20.0));
                checks.extend(force_n.map(|force| ("force_n", force, 0.0, 1000.0)));
                checks.push(("rise_s", rise_s, 1e-3, 1.0));
                checks.extend(contact(mass_kg, stiffness_n_m, damping_n_s_m));
                checks.push(drag(mass_kg, drag_n_s_m));
            }
            Self::Weight { mass_kg, height_m, stiffness_n_m, damping_n_s_m, .. } => {
                checks.push(("height_m", height_m, 0.0, 2.0));
                checks.extend(contact(mass_kg, stiffness_n_m, damping_n_s_m));
            }
            Self::Ramp { channel: Channel::ForceN, to, .. } => {
                checks.push(("to", to, -1000.0, 1000.0));
            }
            Self::Ramp { to, .. } => checks.push(("to", to, -1.0, 1.0)),
            Self::Release { speed_m_s: Some(speed), .. } => {
                checks.push(("speed_m_s", speed, 1e-5, 20.0));
            }
            Self::Hold { .. } | Self::Release { .. } => {}
            Self::Repeat { times, ref part } => {
                checks.push(("times", f64::from(times), 1.0, 10_000.0));
                if part.is_empty() {
                    return Some("`part` is empty; say what to repeat".into());
                }
            }
        }
        if !matches!(self, Self::Repeat { .. }) {
            checks.push(("duration_s", self.duration(), STEP, super::LIMIT));
        }
        let bad = checks.into_iter().find(|(_, x, low, high)| !(low..=high).contains(&x));
        bad.map(|(name, x, low, high)| format!("{name} = {x} is outside {low}…{high}"))
    }
}

/// Ranges in which the action step resolves a mass on its spring: at the limit, e.g. 10 g on 40 kN/m,
/// the phase advances by 0.25 rad per step, and the damper takes 0.25 of the momentum.
fn contact(mass: f64, stiffness: f64, damping: f64) -> [(&'static str, f64, f64, f64); 3] {
    [
        ("mass_kg", mass, 0.001, 20.0),
        ("stiffness_n_m", stiffness, 1.0, mass * square(0.25 / STEP)),
        ("damping_n_s_m", damping, 0.0, mass * 0.25 / STEP),
    ]
}

/// The same limit for the drag of the mass.
fn drag(mass: f64, drag: f64) -> (&'static str, f64, f64, f64) {
    ("drag_n_s_m", drag, 0.0, mass * 0.25 / STEP)
}
