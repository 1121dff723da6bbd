//! Ramp of a simulated key to the reported depth, where both differ at the beginning of a session or
//! after a gap.
//!
//! A soft spring pulls the simulated key at the speed of a silent press, in simulated time that runs
//! four times as fast as real time. Meanwhile nothing is logged, nothing sounds and the keyboard gets no
//! force.

use super::slot::Slot;
use crate::slewed_key::SlewedKey;
use touchback_action::{Drive, STEP};

/// Distance between both keys from which a ramp is needed, m.
const MIN_DISTANCE: f64 = 0.5e-3;
/// Speed of the ramp, m/s; at this speed the hammer does not reach the string.
const SPEED: f64 = 25e-3;
/// Simulated steps for each step of the slot.
const TIME_SCALE: u64 = 4;
/// Distance between both keys at which the ramp may end, m.
const NEAR: f64 = 50e-6;
/// Largest speed of the mechanism's parts at which the ramp may end, m/s and rad/s.
const REST_SPEED: f64 = 0.05;
/// Longest ramp, simulated steps: 1 s.
const MAX_STEPS: u64 = 8000;
/// Stiffness of the spring that pulls the key, N/m.
const STIFFNESS: f64 = 4000.0;
/// Damping of that spring, N·s/m.
const DAMPING: f64 = 12.0;

/// State of a ramp.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settling {
    /// Present end of the spring, m.
    target: f64,
    steps: u64,
}

impl Settling {
    /// A ramp from one depth to another, m; none where both are less than 0.5 mm apart.
    pub fn new(from: f64, to: f64) -> Option<Self> {
        ((to - from).abs() > MIN_DISTANCE).then_some(Self { target: from, steps: 0 })
    }

    /// Moves the simulated key toward the depth `x`, m, for one slot. Returns whether the ramp has ended.
    pub fn run(&mut self, simulated: &mut SlewedKey, slot: &Slot, x: f64) -> bool {
        for _ in 0..TIME_SCALE * (slot.after - slot.before) {
            let limit = SPEED * STEP;
            let advance = (x - self.target).clamp(-limit, limit);
            self.target += advance;
            let force =
                STIFFNESS * (self.target - simulated.key().front()[0]) + DAMPING * advance / STEP;
            let drive = Drive::Wave { force, impedance: DAMPING };
            simulated.step(slot.settings, slot.after.max(1) - 1, drive, &mut |_, _| ());
            self.steps += 1;
        }
        let has_arrived = (x - self.target).abs() < NEAR && simulated.key().fastest() < REST_SPEED;
        has_arrived || self.steps > MAX_STEPS
    }
}
