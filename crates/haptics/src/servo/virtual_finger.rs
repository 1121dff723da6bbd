//! Host notes that move keys: a simulated fingertip, which yields to a real finger.
//!
//! A simulated fingertip presses the simulated key, not the motor: F = k·(target − x), 0 ≤ F ≤ limit,
//! k the port's 500 N/m. What moves the real key is then the junction alone, with its limits.
//!
//! A momentum observer detects another finger on the real key [De Luca & Mattone 2003]: with the
//! declared mass m, weight w, damping c and applied force f, r = K·(m·v − ∫(−f − w − c·v + r) dt)
//! tends to the external force. Beyond a newton and the key's friction for three reports, or where
//! the key does not follow at all, the finger lets go and leaves the key alone until it has been at
//! rest for a tenth of a second.

use touchback_action::interface::finger::{HOLD, STIFFNESS};

/// How fast a finger leaves its key, m/s.
const LEAVING: f64 = 0.2;
/// Slowest press, m/s: slower ones never let off.
const SLOWEST: f64 = 0.005;
/// Gain of the observer, 1/s; chosen: five reports.
const GAIN: f64 = 200.0;
/// External force taken for a finger, N, beyond the key's friction; chosen: ten times what the
/// steps of a 2 µm encoder make of a 100 g key.
const TOUCH: f64 = 1.0;
/// Reports in a row above that force.
const REPORTS: u8 = 3;
/// Distance from the stops within which the stops' own force hides a finger, m.
const STOPS: f64 = 0.7e-3;
/// Depth from which a key at rest counts as held by a finger, m.
const TAKEN: f64 = 1.5e-3;
/// A key that stays so far behind its target, m, at less than so much, m/s, for so many reports is
/// held.
const HELD: (f64, f64, u8) = (4e-3, 5e-3, 15);
/// Reports at rest after which a key that was taken may be played again.
const REST: u8 = 100;
/// Depth that counts as rest, m.
const NEAR_REST: f64 = 0.5e-3;

/// The keyboard's own key mechanics, as it declares them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyMechanics {
    /// Moving mass, kg.
    pub mass: f64,
    /// Force that holds it up, N.
    pub weight: f64,
    /// Coulomb friction, N.
    pub friction: f64,
    /// Viscous damping, N·s/m.
    pub damping: f64,
    /// Depth of the bed, its own or rendered, m.
    pub bed: f64,
}

/// Motion of the key in one slot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SlotMotion {
    /// Depth at the slot's beginning, m.
    pub from: f64,
    /// Depth at the slot's end, m.
    pub to: f64,
    /// Force applied against downward motion, N.
    pub force: f64,
    /// Length of the slot, s.
    pub time: f64,
}

#[derive(Clone, Copy, PartialEq, Debug, Default)]
enum VirtualFingerPhase {
    /// No finger on the key.
    #[default]
    Away,
    /// Target going down at a speed, m/s.
    Pressing(f64),
    /// Target at the hold.
    Holding,
    /// Target gone, the key on its way up.
    Leaving,
    /// Left to a real finger; counts reports at rest.
    Taken(u8),
}

/// The finger's finger on one key.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct VirtualFinger {
    phase: VirtualFingerPhase,
    target: f64,
    /// Momentum as the observer has it, kg·m/s, and the foreign force, N.
    momentum: f64,
    foreign: f64,
    against: u8,
    behind: u8,
    /// Times it let go for a finger.
    pub yields: u64,
}

impl VirtualFinger {
    /// Presses at `speed` m/s of the fingertip from the key's `depth` m on; 0 lets it up.
    pub fn note(&mut self, speed: f64, depth: f64) {
        match self.phase {
            VirtualFingerPhase::Taken(_) => {}
            _ if !speed.is_finite() || speed <= 0.0 => self.leave(),
            VirtualFingerPhase::Away if depth > TAKEN => self.phase = VirtualFingerPhase::Taken(0),
            _ => {
                self.phase = VirtualFingerPhase::Pressing(speed.max(SLOWEST));
                self.target = depth.max(0.0);
                (self.against, self.behind) = (0, 0);
            }
        }
    }

    const fn leave(&mut self) {
        if matches!(self.phase, VirtualFingerPhase::Pressing(_) | VirtualFingerPhase::Holding) {
            self.phase = VirtualFingerPhase::Leaving;
        }
    }

    /// Removes the finger at once.
    pub fn let_go(&mut self) {
        *self = Self { yields: self.yields, ..Self::default() };
    }

    /// The finger moves the key, or has moved it and the key is not yet up.
    #[must_use]
    pub const fn plays(&self) -> bool {
        matches!(
            self.phase,
            VirtualFingerPhase::Pressing(_)
                | VirtualFingerPhase::Holding
                | VirtualFingerPhase::Leaving
        )
    }

    /// The key has to be simulated.
    #[must_use]
    pub const fn presses(&self) -> bool {
        matches!(self.phase, VirtualFingerPhase::Pressing(_) | VirtualFingerPhase::Holding)
    }

    /// Takes the key's motion in a slot.
    pub fn look(&mut self, seen: &SlotMotion, own: &KeyMechanics) {
        if self.phase == VirtualFingerPhase::Away || seen.time <= 0.0 {
            return;
        }
        let is_at_rest = seen.to < NEAR_REST;
        match &mut self.phase {
            VirtualFingerPhase::Taken(rest) => {
                *rest = if is_at_rest { rest.saturating_add(1) } else { 0 };
                if *rest >= REST {
                    self.let_go();
                }
                return;
            }
            VirtualFingerPhase::Leaving if is_at_rest => {
                self.let_go();
                return;
            }
            _ => {}
        }
        let speed = (seen.to - seen.from) / seen.time;
        let mass = own.mass.max(0.01);
        if seen.to < NEAR_REST || seen.to > own.bed - STOPS {
            // Near the stops the observer is reset.
            (self.momentum, self.foreign, self.against) = (mass * speed, 0.0, 0);
        } else {
            let known = -seen.force - own.weight - own.damping * speed;
            self.momentum += seen.time * (known + self.foreign);
            self.foreign = GAIN * (mass * speed - self.momentum);
            let is_foreign = self.foreign.abs() > TOUCH + own.friction;
            self.against = if is_foreign { self.against + 1 } else { 0 };
        }
        let is_behind =
            matches!(self.phase, VirtualFingerPhase::Pressing(_) | VirtualFingerPhase::Holding)
                && self.target - seen.to > HELD.0
                && speed.abs() < HELD.1
                && seen.to < own.bed - STOPS;
        self.behind = if is_behind { self.behind + 1 } else { 0 };
        if self.against >= REPORTS || self.behind >= HELD.2 {
            self.let_go();
            self.yields += 1;
            self.phase = VirtualFingerPhase::Taken(0);
        }
    }

    /// Force on the simulated key, N down, at most `limit`, during the next `time` s, where it stands
    /// at `depth` m above a bed at `bed` m.
    pub fn force(&mut self, depth: f64, bed: f64, time: f64, limit: f64) -> f64 {
        match self.phase {
            VirtualFingerPhase::Pressing(speed) => {
                // The target leads by no more than the largest force needs.
                let most = (depth + limit / STIFFNESS).max(bed + HOLD);
                self.target = (self.target + speed * time).min(most);
                if depth >= bed - STOPS {
                    self.phase = VirtualFingerPhase::Holding;
                }
            }
            VirtualFingerPhase::Holding => {
                let hold = bed + HOLD;
                let step = LEAVING * time;
                self.target += (hold - self.target).clamp(-step, step);
            }
            VirtualFingerPhase::Away
            | VirtualFingerPhase::Leaving
            | VirtualFingerPhase::Taken(_) => return 0.0,
        }
        (STIFFNESS * (self.target - depth)).clamp(0.0, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: KeyMechanics =
        KeyMechanics { mass: 0.05, weight: 0.3, friction: 0.1, damping: 0.2, bed: 10e-3 };

    /// A key under `motor` N (down) and a foreign force; the reports until the finger lets go.
    fn until_yield(motor: f64, foreign: f64) -> Option<u32> {
        let mut finger = VirtualFinger::default();
        finger.note(0.1, 0.0);
        let (mut x, mut v) = (5e-3, 0.0);
        for i in 0..200 {
            let from = x;
            for _ in 0..20 {
                let force = motor - OWN.weight - OWN.damping * v + foreign;
                v += force / OWN.mass * 5e-5;
                x += v * 5e-5;
            }
            if !(0.0..OWN.bed).contains(&x) {
                return None;
            }
            // As an encoder of 2 µm reports it.
            let steps = |x: f64| (x / 2e-6).round() * 2e-6;
            let seen = SlotMotion { from: steps(from), to: steps(x), force: -motor, time: 1e-3 };
            finger.look(&seen, &OWN);
            if !finger.plays() {
                return Some(i + 1);
            }
        }
        None
    }

    #[test]
    fn a_foreign_force_is_noticed_within_ten_reports_and_its_absence_never() {
        for motor in [0.35, 0.5] {
            assert_eq!(until_yield(motor, 0.0), None, "{motor} N");
            for foreign in [-3.0, 3.0] {
                let after = until_yield(motor, foreign).unwrap();
                assert!(after <= 10, "{motor} N, {foreign} N: {after} ms");
            }
        }
    }

    #[test]
    fn force_stays_within_its_limit_and_ends_with_the_note() {
        let mut finger = VirtualFinger::default();
        finger.note(5.0, 0.0);
        let mut most = 0.0f64;
        for _ in 0..100 {
            most = most.max(finger.force(0.0, 10e-3, 1e-3, 8.0));
        }
        assert_eq!(most, 8.0);
        finger.note(0.0, 0.0);
        assert_eq!(finger.force(0.0, 10e-3, 1e-3, 8.0), 0.0);
        assert!(finger.plays());
        finger.look(&SlotMotion { from: 0.0, to: 0.0, force: 0.0, time: 1e-3 }, &OWN);
        assert!(!finger.plays());
    }

    #[test]
    fn a_key_in_use_is_left_alone_until_it_has_rested() {
        let mut finger = VirtualFinger::default();
        finger.note(0.1, 5e-3);
        assert!(!finger.plays() && finger.phase == VirtualFingerPhase::Taken(0));
        let seen = |to: f64| SlotMotion { from: to, to, force: 0.0, time: 1e-3 };
        for _ in 0..300 {
            finger.look(&seen(5e-3), &OWN);
        }
        finger.note(0.1, 0.0);
        assert!(!finger.plays());
        for _ in 0..REST {
            finger.look(&seen(0.0), &OWN);
        }
        finger.note(0.1, 0.0);
        assert!(finger.plays());
        finger.note(f64::NAN, 0.0);
        assert_eq!(finger.phase, VirtualFingerPhase::Leaving);
    }
}
