//! What a host note needs of a smaller action: a strike and a release constructed outright, the
//! press that would have led there, and its damper.
//!
//! As for the grand ([`crate::grand::key::construct`]), these are pure functions of the key's
//! numbers and a speed, in closed form.

use super::{KEY, SimpleAction};
use crate::interface::press::{Press, Travel};
use touchback_core::episode::State;

/// Depth short of its bed at which a key stands as its hammer meets the string, m: the bed is still
/// to be met, so that its knock is heard (chosen, as the grand's).
pub const BEFORE_BED: f64 = 0.1e-3;

/// Key travel over which a damper without dynamics of its own rises clear, m (chosen: the key-front
/// travel of a grand's).
const CLEARING: f64 = 2e-3;

/// Share of the dip at which such a damper begins to rise (chosen: half a grand's blow).
const PICKUP: f64 = 0.45;

/// A smaller action that notes can play. `N` states in the common layout.
pub trait Playing<const N: usize, const G: usize, const S: usize>: SimpleAction<N, G, S> {
    /// How far its key goes.
    fn travel(&self) -> Travel;

    /// What a pressing finger meets.
    fn press(&self) -> Press;

    /// The moment at which its hammer meets the string at `speed` m/s, or its plectrum lets go of it
    /// in a press that would have sent a hammer at that speed.
    fn struck(&self, speed: f64) -> State<Self::Phase, N>;

    /// Its key at `depth` m, rising at `speed` m/s, all else riding on it.
    fn rising(&self, depth: f64, speed: f64) -> State<Self::Phase, N>;

    /// Displacement of the string as it slips off a plectrum, m; none where a hammer strikes it.
    fn plucks(&self) -> Option<f64> {
        None
    }

    /// Key depth at which a falling damper meets its string, m.
    fn damper_depth(&self) -> f64 {
        PICKUP * self.travel().dip
    }

    /// How far the damper is off the string, 0…1; by the key where the model has none.
    fn damper(&self, x: &[f64; N]) -> f64 {
        ((x[KEY] - self.damper_depth()) / CLEARING).clamp(0.0, 1.0)
    }
}

/// The state whose places given by `set` are set, all others 0.
pub fn state<P, const N: usize>(phase: P, set: &[(usize, f64)]) -> State<P, N> {
    let mut x = [0.0; N];
    set.iter().for_each(|&(i, value)| x[i] = value);
    State { phase, x }
}
