//! Rest of a simulated key: set to the reported depth where it touches nothing, asleep at rest.

use crate::slewed_key::SlewedKey;
use touchback_action::interface::key::Key;

/// Motion that wakes a key, m.
const WAKE_MOTION: f64 = 30e-6;
/// Wave that wakes a key, √W: more than the remainder of the last answer.
const WAKE_WAVE: f64 = 0.05;
/// Slots without motion near rest after which a key falls asleep.
const REST_SLOTS: u32 = 100;
/// Speed below which simulated and reported key are compared, m/s, and slots for which both must be slower until a
/// simulated key that touches nothing is set to the reported depth; chosen: in the delay of the line the key moves
/// by 10 µm.
const SLOW: f64 = 10e-3;
/// See [`SLOW`].
const SLOW_SLOTS: u32 = 20;
/// Largest wave of a key at rest, √W: that of encoder steps and their echoes.
const REST_WAVE: f64 = 0.1;
/// Speed of any part, m/s and rad/s, below which the simulated key is at rest: more than encoder steps cause
/// at the end of the line.
const REST_SPEED: f64 = 0.1;
/// Largest depth of a key near rest, m.
const NEAR_REST: f64 = 0.2e-3;

/// Whether a simulated key is computed, and what leads to its sleep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rest {
    is_awake: bool,
    /// Reported depth at which the key fell asleep, m; friction may hold the physical key there.
    slept: f64,
    /// Slots without motion near rest.
    quiet: u32,
    /// Depth of the simulated key at its last motion, m.
    anchor: f64,
    /// Slots in which simulated and reported key were slower than [`SLOW`].
    slow_slots: u32,
}

impl Rest {
    /// The simulated key is being computed.
    pub(super) const fn is_awake(&self) -> bool {
        self.is_awake
    }

    /// The simulated key is computed from now on.
    pub(super) const fn wake(&mut self) {
        (self.is_awake, self.quiet) = (true, 0);
    }

    /// The simulated key has been put to rest.
    pub(super) const fn sleep(&mut self) {
        self.is_awake = false;
    }

    /// The reports cannot be followed.
    pub(super) const fn lose(&mut self) {
        self.slept = 0.0;
    }

    /// Neither the reported depth `x`, m, nor the `wave`, √W, wakes the simulated key at rest at the depth `rest`, m.
    pub(super) fn is_still(&self, x: f64, rest: f64, wave: f64) -> bool {
        (x - rest).abs().min((x - self.slept).abs()) < WAKE_MOTION && wave.abs() < WAKE_WAVE
    }

    /// Sets a simulated key that touches nothing to the reported depth `x`, m, where both have been slower than
    /// [`SLOW`] for [`SLOW_SLOTS`]; `speed` is that of the report, m/s. Near standstill the line carries no wave
    /// that could correct the drift. The shift does no work, because nothing is in contact. Returns whether the
    /// key was set.
    pub(super) fn align(&mut self, simulated: &mut SlewedKey, x: f64, speed: f64) -> bool {
        let [depth, own] = simulated.key().front();
        let is_slow = own.abs() < SLOW && speed.abs() < SLOW;
        self.slow_slots = if is_slow { self.slow_slots + 1 } else { 0 };
        let is_set = self.slow_slots >= SLOW_SLOTS
            && (depth - x).abs() > WAKE_MOTION
            && simulated.key_mut().shift(x);
        if is_set {
            self.slow_slots = 0;
        }
        is_set
    }

    /// Whether a simulated key, which a host note may hold awake, falls asleep under the `wave`, √W, at the reported
    /// depth `x`, m: after [`REST_SLOTS`] slots without motion near rest.
    pub(super) fn falls_asleep(
        &mut self,
        simulated: &dyn Key,
        wave: f64,
        x: f64,
        is_played: bool,
    ) -> bool {
        let [depth, _] = simulated.front();
        let is_near = depth.abs() < NEAR_REST && x.abs() < NEAR_REST;
        let has_moved = (depth - self.anchor).abs() > WAKE_MOTION;
        if !is_near || has_moved || simulated.fastest() >= REST_SPEED || wave.abs() > REST_WAVE {
            self.anchor = depth;
            self.quiet = 0;
            return false;
        }
        self.quiet += 1;
        let sleeps = self.quiet >= REST_SLOTS && !is_played;
        if sleeps {
            self.slept = x;
        }
        sleeps
    }
}
