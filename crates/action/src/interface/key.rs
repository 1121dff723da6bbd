//! One key of any action: the trait for stepping, reading, saving and regulating it.

use std::fmt;

use super::elements::Elements;
use super::events::KeyEvent;
use super::graph::Graph;
use super::port::Drive;
use super::pose::Pose;
use super::press::{Press, Travel, Voice};
use super::readout::Readout;
use super::settings::ActionSettings;

/// Receives an event and its time since the beginning of the step, s.
pub type OnEvent<'a> = dyn FnMut(f64, KeyEvent) + 'a;

/// Key-front depth at or above which a key counts as returned, m (chosen: a third of a millimetre).
pub const REST_DEPTH: f64 = 0.3e-3;

/// Least effective mass at the front of a key after compensation, kg. A drive through a damper of
/// Z N·s/m makes the equations stiff: a Runge–Kutta step of h s is stable up to Z·h/m = 2.78, and below
/// that limit a speed decays without changing its sign.
pub const LIGHTEST: f64 = 9e-3;

/// Largest number of states of an action.
pub const STATES: usize = 26;

/// Phase and states of a key as plain numbers, for storage and transmission.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct SavedState {
    /// Index of the submodel within its action.
    pub phase: u8,
    /// States of the action, padded with zeros.
    pub x: [f64; STATES],
}

impl SavedState {
    /// Phase and states of a key, at most [`STATES`].
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

    /// Whether every state is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.x.iter().all(|v| v.is_finite())
    }

    /// The phase and the bits of the states, for files and hashes.
    #[must_use]
    pub fn bits(&self) -> [u64; STATES + 1] {
        let mut bits = [u64::from(self.phase); STATES + 1];
        bits[1..].iter_mut().zip(self.x).for_each(|(b, x)| *b = x.to_bits());
        bits
    }

    /// The inverse of [`SavedState::bits`].
    #[must_use]
    pub fn of(bits: &[u64; STATES + 1]) -> Self {
        let phase = u8::try_from(bits[0]).unwrap_or(0);
        Self { phase, x: std::array::from_fn(|i| f64::from_bits(bits[i + 1])) }
    }
}

/// Dynamics of a haptic keyboard's own key, which are subtracted from the simulated key.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DynamicsCompensation {
    /// Moving mass of the key and effective mass of the transmission line, kg.
    pub mass: f64,
    /// Force that holds the key up, N.
    pub weight: f64,
    /// Coulomb friction, N.
    pub friction: f64,
    /// Whether the device's key has a key bed.
    pub has_bed: bool,
}

/// One key of any action. Only [`Key::pose`] and [`Key::duplicate`] allocate.
pub trait Key: Send + fmt::Debug {
    /// Advances by one action step under `drive`; `on_event` receives the events in it.
    fn step(&mut self, drive: Drive, on_event: &mut OnEvent<'_>);

    /// Divides every action step into `parts` steps of integration, at least 1; 1 is the step of play. No effect
    /// on a key that is not integrated.
    fn refine(&mut self, _parts: u32) {}

    /// Readings at the end of a step driven by `drive`.
    fn readout(&self, drive: Drive) -> Readout;

    /// Force and dissipated power of every element at the end of a step driven by `drive`; none if unknown.
    fn elements(&self, _drive: Drive) -> Elements {
        Elements::NONE
    }

    /// The submodels and their transitions; none if unknown.
    fn graph(&self) -> Graph<'_> {
        Graph::NONE
    }

    /// Depth of the key front, m, and its speed, m/s.
    fn front(&self) -> [f64; 2];

    /// Highest speed of the parts, m/s and rad/s.
    fn fastest(&self) -> f64;

    /// Work of the drive since the key was last put to rest, J.
    fn work(&self) -> f64;

    /// Lift of the damper, 0 (on the string) … 1 (clear); 1 for a key without damper.
    fn damper_lift(&self) -> f64 {
        1.0
    }

    /// Bend of the sounding string by the key, cents, and pressure at the foot of its pipe, Pa.
    fn ports(&self) -> [f64; 2] {
        [0.0; 2]
    }

    /// Puts the key into its rest pose, untouched.
    fn reset_to_rest(&mut self);

    /// Moves a key that stands and touches nothing to `depth` m, or as near to it as it still touches nothing.
    /// Returns whether it has moved. A key that its weight presses against other parts does not move.
    fn shift(&mut self, _depth: f64) -> bool {
        false
    }

    /// Phase and states.
    fn save(&self) -> SavedState;

    /// Restores phase and states saved from a key of the same action.
    fn adopt(&mut self, saved: &SavedState);

    /// Positions of the parts. Allocates.
    fn pose(&self) -> Pose;

    /// A copy of the key. Allocates.
    fn duplicate(&self) -> Box<dyn Key>;

    /// Applies `settings` in the present state. Returns the change of energy, J: the work done on the screws.
    fn regulate(&mut self, _settings: &ActionSettings) -> f64 {
        0.0
    }

    /// Moves the damper tray to `height` m during the next step; no effect on an action without tray.
    fn set_tray(&mut self, _height: f64) {}

    /// Subtracts the dynamics of a haptic keyboard's own key. The mass at the front stays at or above
    /// [`LIGHTEST`] and is raised to it if it was lower. Returns the part that could not be subtracted.
    fn compensate(&mut self, device: &DynamicsCompensation) -> DynamicsCompensation {
        *device
    }

    /// Sets the state at which the hammer meets the string at `speed` m/s, or at which the string is plucked
    /// at that touch. Returns `false` and changes nothing if this is impossible.
    fn strike(&mut self, _speed: f64) -> bool {
        false
    }

    /// Sets the state at which the damper meets the string with the key rising at `speed` m/s; no effect if
    /// this is impossible.
    fn release(&mut self, _speed: f64) {}

    /// Travel of the key; none if it is part of the settings or unknown.
    fn travel(&self) -> Option<Travel> {
        None
    }

    /// The mechanics that a pressing finger meets; none if tabulated or unknown.
    fn press(&self) -> Option<Press> {
        None
    }

    /// What the key excites.
    fn voice(&self) -> Voice {
        Voice::Hammer
    }
}

impl Clone for Box<dyn Key> {
    fn clone(&self) -> Self {
        self.duplicate()
    }
}
