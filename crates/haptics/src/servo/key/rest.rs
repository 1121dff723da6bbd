//! Rest of a simulated key: set to the reported depth where it touches nothing, asleep at rest, its motor proven again.

use super::super::slot::Slot;
use super::{HapticKey, JOINING, WAKE_MOTION};

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
/// Depth that counts as a stroke, m, and the time at rest after it until the motor is proven again, s; chosen: longer
/// than the pauses of a piece that a hand plays on the same key, because the key has no force for 0.1 s then.
const PROOF_AGAIN: (f64, f64) = (1e-3, 5.0);

impl HapticKey {
    /// Begins another proof of the motor of a key that has been played and rests.
    pub(super) fn prove_again(&mut self, slot: &Slot, depth: f64) {
        if !slot.is_live || !self.is_proven(slot.has_junction) || slot.is_repeated {
            self.rested = 0.0;
            return;
        }
        if depth > PROOF_AGAIN.0 || self.push.is_doubted() {
            self.is_played_since = true;
        }
        if self.is_awake || !slot.may_push {
            self.rested = 0.0;
            return;
        }
        self.rested += slot.time();
        if self.is_played_since && self.rested > PROOF_AGAIN.1 {
            self.push.renew();
            (self.is_played_since, self.rested, self.joining) = (false, 0.0, JOINING.0);
        }
    }

    /// Sets a simulated key that touches nothing to the reported depth `x`, m, where both have been slower than
    /// [`SLOW`] for [`SLOW_SLOTS`]; `speed` is that of the report, m/s. Near standstill the line carries no wave
    /// that could correct the drift. The shift does no work, because nothing is in contact.
    pub(super) fn align(&mut self, x: f64, speed: f64) {
        let [depth, own] = self.simulated.key().front();
        let is_slow = own.abs() < SLOW && speed.abs() < SLOW;
        self.slow_slots = if is_slow { self.slow_slots + 1 } else { 0 };
        if self.slow_slots >= SLOW_SLOTS
            && (depth - x).abs() > WAKE_MOTION
            && self.simulated.key_mut().shift(x)
        {
            // The log gets the state before the next slot.
            (self.is_placed, self.slow_slots) = (false, 0);
        }
    }

    /// Falls asleep after [`REST_SLOTS`] slots without motion near rest.
    pub(super) fn sleep_if_at_rest(&mut self, wave: f64, x: f64) {
        let [depth, _] = self.simulated.key().front();
        let is_near = depth.abs() < NEAR_REST && x.abs() < NEAR_REST;
        let has_moved = (depth - self.anchor).abs() > WAKE_MOTION;
        if !is_near
            || has_moved
            || self.simulated.key().fastest() >= REST_SPEED
            || wave.abs() > REST_WAVE
        {
            self.anchor = depth;
            self.quiet = 0;
            return;
        }
        self.quiet += 1;
        if self.quiet >= REST_SLOTS && !self.virtual_finger.plays() {
            self.slept = x;
            self.fall_asleep();
        }
    }

    /// Puts the simulated key to rest and ends its force.
    pub(super) fn fall_asleep(&mut self) {
        self.simulated.reset_to_rest();
        self.is_awake = false;
        self.is_placed = false;
        self.cut();
    }
}
