//! The interface of a simple action for host notes: constructed states of a strike and a release, the
//! mechanics of a press, and the damper.
//!
//! As for the grand ([`crate::grand::key::construct`]), the constructed states are pure functions of
//! specification and speed, in closed form.

use super::{KEY, SimpleAction};
use crate::interface::press::{Press, Travel, Voice};
use touchback_core::episode::State;

/// Distance of the key front above its bed at the strike, m (chosen, as for the grand): the key has yet to
/// meet the bed, so that its knock sounds.
pub(crate) const BEFORE_BED: f64 = 0.1e-3;

/// Key travel over which a damper without dynamics rises clear of the string, m (chosen: that of a grand).
const CLEARING: f64 = 2e-3;

/// Share of the dip at which such a damper begins to rise (chosen: half the blow of a grand).
const PICKUP: f64 = 0.45;

/// A simple action that notes can play. `N` states in the common layout.
pub trait Playing<const N: usize, const G: usize, const S: usize>: SimpleAction<N, G, S> {
    /// Travel of the key.
    fn travel(&self) -> Travel;

    /// The mechanics that a pressing finger meets.
    fn press(&self) -> Press;

    /// Whether [`Self::struck`] and [`Self::rising`] construct their states; else they are those at rest.
    fn constructs(&self) -> bool {
        true
    }

    /// The state at which the hammer meets the string at `speed` m/s, or at which the string slips off the
    /// plectrum in a press that would give a hammer that speed.
    fn struck(&self, speed: f64) -> State<Self::Phase, N>;

    /// The state with the key at `depth` m, rising at `speed` m/s, and the other bodies resting on it.
    fn rising(&self, depth: f64, speed: f64) -> State<Self::Phase, N>;

    /// What the key excites.
    fn voice(&self) -> Voice {
        Voice::Hammer
    }

    /// Key depth at which a falling damper begins to meet its string, m.
    fn damper_depth(&self) -> f64 {
        damper_depth(self.travel().dip)
    }

    /// Bend of the sounding string by the key, cents, and pressure at the foot of its pipe, Pa.
    fn ports(&self, _x: &[f64; N]) -> [f64; 2] {
        [0.0; 2]
    }

    /// Lift of the damper, 0 (on the string) … 1 (clear); a function of the key depth in a model without a
    /// damper.
    fn damper(&self, x: &[f64; N]) -> f64 {
        lift(x[KEY], self.travel().dip)
    }
}

/// Key depth at which a falling damper without dynamics begins to meet its string, m, of a key with the travel `dip` m.
#[must_use]
pub fn damper_depth(dip: f64) -> f64 {
    PICKUP * dip + CLEARING
}

/// Lift of a damper without dynamics, 0 (on the string) … 1 (clear), of a key at `depth` m with the travel `dip` m.
#[must_use]
pub fn lift(depth: f64, dip: f64) -> f64 {
    ((depth - PICKUP * dip) / CLEARING).clamp(0.0, 1.0)
}

/// The state with the given values by index, all others 0.
pub fn state<P, const N: usize>(phase: P, values: &[(usize, f64)]) -> State<P, N> {
    let mut x = [0.0; N];
    values.iter().for_each(|&(i, value)| x[i] = value);
    State { phase, x }
}
