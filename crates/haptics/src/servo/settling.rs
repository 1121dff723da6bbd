//! A key that is found anywhere but where its simulated key is: the mechanism is laid there.
//!
//! The simulated key is led to the reported depth as slowly as a silent press, four times as fast as
//! time passes, unheard, unlogged and without force on the keyboard.

use super::super::slewed_key::SlewedKey;
use super::slot::Slot;
use touchback_action::{Drive, STEP};

/// Distance between both keys from which it is needed, m.
const OFF: f64 = 0.5e-3;
/// Speed at which the simulated key is led, m/s: its hammer does not reach the string.
const SPEED: f64 = 25e-3;
/// Its steps for one of the slot's.
const HASTE: u64 = 4;
/// Distance between both keys at which it may end, m.
const NEAR: f64 = 50e-6;
/// Speed of the mechanism's parts at which it may end, m/s and rad/s.
const STILL: f64 = 0.05;
/// Longest time of the simulated key, steps: 1 s.
const LONGEST: u64 = 8000;
/// What leads it: N/m and N·s/m.
const SPRING: (f64, f64) = (4000.0, 12.0);

/// A simulated key on its way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settling {
    /// Where it is led to now, m.
    target: f64,
    steps: u64,
}

impl Settling {
    /// From one depth to another, m; none where it is there.
    pub fn new(from: f64, to: f64) -> Option<Self> {
        ((to - from).abs() > OFF).then_some(Self { target: from, steps: 0 })
    }

    /// One slot nearer to the depth `x` m; whether it has arrived and rests.
    pub fn run(&mut self, simulated: &mut SlewedKey, slot: &Slot, x: f64) -> bool {
        let (stiffness, impedance) = SPRING;
        for _ in 0..HASTE * (slot.after - slot.before) {
            let most = SPEED * STEP;
            let way = (x - self.target).clamp(-most, most);
            self.target += way;
            let force =
                stiffness * (self.target - simulated.key().front()[0]) + impedance * way / STEP;
            let drive = Drive::Wave { force, impedance };
            simulated.step(slot.settings, slot.after.max(1) - 1, drive, &mut |_, _| ());
            self.steps += 1;
        }
        let is_there = (x - self.target).abs() < NEAR && simulated.key().fastest() < STILL;
        is_there || self.steps > LONGEST
    }
}
