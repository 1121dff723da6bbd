//! One key of any action: stepped through its port, heard, read, put away and taken up again.

use std::fmt;

use super::events::KeyEvent;
use super::port::Drive;
use super::pose::Pose;
use super::press::{Press, Travel};
use super::readout::Readout;
use super::settings::ActionSettings;

/// Hears of an event, and of its seconds after the step's beginning.
pub type OnEvent<'a> = dyn FnMut(f64, KeyEvent) + 'a;

/// Key-front depth that counts as returned, m (chosen: a third of a millimetre).
pub const REST_DEPTH: f64 = 0.3e-3;

/// Least mass left to a key at its front, kg, whatever is taken off it: what drives it through a
/// damper of Z N·s/m makes it stiff. A Runge–Kutta step of h s is stable to Z·h/m = 2.78, and until
/// there a speed dies away without changing its sign.
pub const LIGHTEST: f64 = 9e-3;

/// Most states that an action may have.
pub const STATES: usize = 26;

/// The states and the submodel of a key, as numbers that can be kept and sent.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Saved {
    /// Place of the submodel among the action's own.
    pub phase: u8,
    /// Its states, as many as it has, then zeros.
    pub x: [f64; STATES],
}

impl Saved {
    /// `states` of a submodel, at most [`STATES`].
    #[must_use]
    pub fn new<const N: usize>(phase: u8, states: &[f64; N]) -> Self {
        const { assert!(N <= STATES) };
        let mut x = [0.0; STATES];
        x[..N].copy_from_slice(states);
        Self { phase, x }
    }

    /// The first `N` states.
    #[must_use]
    pub fn states<const N: usize>(&self) -> [f64; N] {
        const { assert!(N <= STATES) };
        std::array::from_fn(|i| self.x[i])
    }

    /// Every state is a number.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.x.iter().all(|v| v.is_finite())
    }

    /// The phase and the bits of the states: for files and fingerprints.
    #[must_use]
    pub fn bits(&self) -> [u64; STATES + 1] {
        let mut bits = [u64::from(self.phase); STATES + 1];
        bits[1..].iter_mut().zip(self.x).for_each(|(b, x)| *b = x.to_bits());
        bits
    }

    /// The inverse of [`Saved::bits`].
    #[must_use]
    pub fn of(bits: &[u64; STATES + 1]) -> Self {
        let phase = u8::try_from(bits[0]).unwrap_or(0);
        Self { phase, x: std::array::from_fn(|i| f64::from_bits(bits[i + 1])) }
    }
}

/// What a haptic keyboard's own key brings along and the simulated one is relieved of.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DynamicsCompensation {
    /// Moving mass and the mass of the line, kg.
    pub mass: f64,
    /// Force that holds the key up, N.
    pub weight: f64,
    /// Coulomb friction, N.
    pub friction: f64,
    /// It has a key bed of its own.
    pub has_bed: bool,
}

/// One key of any action. Nothing here allocates but [`Key::pose`] and [`Key::duplicate`].
pub trait Key: Send + fmt::Debug {
    /// Advances by one action step under `drive`; `hear` is told of what happens in it.
    fn step(&mut self, drive: Drive, hear: &mut OnEvent<'_>);

    /// What it shows at the end of a step driven by `drive`.
    fn readout(&self, drive: Drive) -> Readout;

    /// Depth of the key front, m, and its speed, m/s.
    fn front(&self) -> [f64; 2];

    /// The largest of its parts' speeds, m/s and rad/s.
    fn fastest(&self) -> f64;

    /// Work of the drive since it last lay at rest, J.
    fn work(&self) -> f64;

    /// How far the damper is off its string, 0 (resting) … 1 (clear); 1 where there is none.
    fn damper_lift(&self) -> f64 {
        1.0
    }

    /// Puts it where it rests, untouched.
    fn reset_to_rest(&mut self);

    /// What changes while it runs.
    fn save(&self) -> Saved;

    /// Takes up a saved state of the same action.
    fn adopt(&mut self, saved: &Saved);

    /// Where its parts are. Allocates.
    fn pose(&self) -> Pose;

    /// Another such key, standing alike. Allocates.
    fn duplicate(&self) -> Box<dyn Key>;

    /// Takes up `settings` as it stands; the energy that this puts into it, J: the work of the
    /// turning screws.
    fn regulate(&mut self, _settings: &ActionSettings) -> f64 {
        0.0
    }

    /// The damper tray goes to `height` m during the next step; nothing where there is none.
    fn set_tray(&mut self, _height: f64) {}

    /// Takes off it what a haptic keyboard's own key brings, leaving its front no lighter than
    /// [`LIGHTEST`], also where it was; what could not be taken.
    fn compensate(&mut self, brought: &DynamicsCompensation) -> DynamicsCompensation {
        *brought
    }

    /// Its hammer meets the string at `speed` m/s now, or its string is plucked as a key so played
    /// plucks it; `false`, and nothing happens, where that cannot be.
    fn strike(&mut self, _speed: f64) -> bool {
        false
    }

    /// Its damper meets the string now, the key rising at `speed` m/s; nothing where that cannot be.
    fn release(&mut self, _speed: f64) {}

    /// How far it goes; none where regulation says it or nothing does.
    fn travel(&self) -> Option<Travel> {
        None
    }

    /// What a pressing finger meets; none where that is measured or nobody knows it.
    fn press(&self) -> Option<Press> {
        None
    }

    /// Displacement of the string as it slips off a plectrum, m; none where a hammer strikes it.
    fn plucks(&self) -> Option<f64> {
        None
    }
}

impl Clone for Box<dyn Key> {
    fn clone(&self) -> Self {
        self.duplicate()
    }
}
