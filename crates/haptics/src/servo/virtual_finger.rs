//! Host notes that move keys: a simulated fingertip, which yields to a real finger.
//!
//! The fingertip presses the simulated key and not the motor: F = k·(target − x), N, with k = 500 N/m and
//! 0 ≤ F ≤ limit. The junction alone moves the real key, within its limits.
//!
//! A momentum observer detects another finger on the real key [De Luca & Mattone 2003]. With the declared
//! mass m, weight w, damping c and the applied force f, r = K·(m·v − ∫(−f − w − c·v + r) dt) tends to the
//! external force, N. The virtual finger releases the key where |r| exceeds 1 N plus the friction for three
//! reports, or where the key does not follow, and leaves it alone until it has been at rest for 0.1 s.

use touchback_action::interface::finger::{HOLD, STIFFNESS};

/// Largest speed at which the target moves to the hold, m/s.
const HOLD_SPEED: f64 = 0.2;
/// Smallest speed of a press, m/s; slower ones never let off.
const MIN_SPEED: f64 = 0.005;
/// Gain K of the observer, 1/s; chosen: a time constant of five reports.
const GAIN: f64 = 200.0;
/// External force beyond friction that counts as a finger, N; chosen: ten times the effect of the steps of a
/// 2 µm encoder on a key of 100 g.
const TOUCH: f64 = 1.0;
/// Consecutive reports above that force.
const REPORTS: u8 = 3;
/// Distance from the stops within which their force hides that of a finger, m.
const STOPS: f64 = 0.7e-3;
/// Depth from which a key that is to be pressed counts as held by a player, m.
const TAKEN_DEPTH: f64 = 1.5e-3;
/// Distance behind the target, m: a key that is farther behind and slower than [`HELD_SPEED`] for [`HELD_REPORTS`] is
/// held by a player.
const HELD_BEHIND: f64 = 4e-3;
/// See [`HELD_BEHIND`], m/s.
const HELD_SPEED: f64 = 5e-3;
/// See [`HELD_BEHIND`].
const HELD_REPORTS: u8 = 15;
/// Reports at rest after which a taken key may be played again.
const REST: u8 = 100;
/// Depth that counts as rest, m.
const NEAR_REST: f64 = 0.5e-3;

/// Mechanics of a physical key, as declared by the keyboard.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyMechanics {
    /// Moving mass, kg.
    pub mass: f64,
    /// Weight: force that holds the key up at rest, N.
    pub weight: f64,
    /// Coulomb friction, N.
    pub friction: f64,
    /// Viscous damping, N·s/m.
    pub damping: f64,
    /// Depth of the bed, physical or rendered, m.
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
    /// The target moves down at a speed, m/s.
    Pressing(f64),
    /// The target is at the hold.
    Holding,
    /// No force; the key returns to rest.
    Leaving,
    /// Left to a player's finger; counts reports at rest.
    Taken(u8),
}

/// The virtual finger on one key.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct VirtualFinger {
    phase: VirtualFingerPhase,
    /// Target depth, m.
    target: f64,
    /// Momentum in the observer, kg·m/s, and the estimated external force, N.
    momentum: f64,
    external: f64,
    /// Consecutive reports with an external force, and behind the target.
    against: u8,
    behind: u8,
    /// Number of times the key was released to a player's finger.
    pub yields: u64,
}

impl VirtualFinger {
    /// Presses at a fingertip speed of `speed`, m/s, from the key's `depth`, m, on; 0 releases.
    pub fn note(&mut self, speed: f64, depth: f64) {
        match self.phase {
            VirtualFingerPhase::Taken(_) => {}
            _ if !speed.is_finite() || speed <= 0.0 => self.leave(),
            VirtualFingerPhase::Away if depth > TAKEN_DEPTH => {
                self.phase = VirtualFingerPhase::Taken(0)
            }
            _ => {
                self.phase = VirtualFingerPhase::Pressing(speed.max(MIN_SPEED));
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

    /// The finger presses the key, or has released it and the key is not back at rest.
    #[must_use]
    pub const fn plays(&self) -> bool {
        matches!(
            self.phase,
            VirtualFingerPhase::Pressing(_)
                | VirtualFingerPhase::Holding
                | VirtualFingerPhase::Leaving
        )
    }

    /// The finger presses the key, which has to be simulated even if it is not reported.
    #[must_use]
    pub const fn presses(&self) -> bool {
        matches!(self.phase, VirtualFingerPhase::Pressing(_) | VirtualFingerPhase::Holding)
    }

    /// Observes the motion of the key in a slot, and releases the key where a player touches it.
    pub fn observe(&mut self, motion: &SlotMotion, own: &KeyMechanics) {
        if self.phase == VirtualFingerPhase::Away || motion.time <= 0.0 {
            return;
        }
        let is_at_rest = motion.to < NEAR_REST;
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
        let speed = (motion.to - motion.from) / motion.time;
        let mass = own.mass.max(0.01);
        if motion.to < NEAR_REST || motion.to > own.bed - STOPS {
            // Near the stops the observer is reset.
            (self.momentum, self.external, self.against) = (mass * speed, 0.0, 0);
        } else {
            let known = -motion.force - own.weight - own.damping * speed;
            self.momentum += motion.time * (known + self.external);
            self.external = GAIN * (mass * speed - self.momentum);
            let is_external = self.external.abs() > TOUCH + own.friction;
            self.against = if is_external { self.against + 1 } else { 0 };
        }
        let is_behind =
            matches!(self.phase, VirtualFingerPhase::Pressing(_) | VirtualFingerPhase::Holding)
                && self.target - motion.to > HELD_BEHIND
                && speed.abs() < HELD_SPEED
                && motion.to < own.bed - STOPS;
        self.behind = if is_behind { self.behind + 1 } else { 0 };
        if self.against >= REPORTS || self.behind >= HELD_REPORTS {
            self.let_go();
            self.yields += 1;
            self.phase = VirtualFingerPhase::Taken(0);
        }
    }

    /// Force on the simulated key, N, positive down and at most `limit`, during the next `time` s; the key
    /// is at `depth`, m, above a bed at `bed`, m.
    pub fn force(&mut self, depth: f64, bed: f64, time: f64, limit: f64) -> f64 {
        match self.phase {
            VirtualFingerPhase::Pressing(speed) => {
                // The target is not farther ahead than the largest force needs.
                let limit_depth = (depth + limit / STIFFNESS).max(bed + HOLD);
                self.target = (self.target + speed * time).min(limit_depth);
                if depth >= bed - STOPS {
                    self.phase = VirtualFingerPhase::Holding;
                }
            }
            VirtualFingerPhase::Holding => {
                let hold = bed + HOLD;
                let step = HOLD_SPEED * time;
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

    /// Number of reports until the finger releases a key under the force `motor`, N down, and an `external`
    /// force, N down; none where it does not.
    fn until_yield(motor: f64, external: f64) -> Option<u32> {
        let mut finger = VirtualFinger::default();
        finger.note(0.1, 0.0);
        let (mut x, mut v) = (5e-3, 0.0);
        for i in 0..200 {
            let from = x;
            for _ in 0..20 {
                let force = motor - OWN.weight - OWN.damping * v + external;
                v += force / OWN.mass * 5e-5;
                x += v * 5e-5;
            }
            if !(0.0..OWN.bed).contains(&x) {
                return None;
            }
            // Rounded to the steps of an encoder of 2 µm.
            let steps = |x: f64| (x / 2e-6).round() * 2e-6;
            let motion = SlotMotion { from: steps(from), to: steps(x), force: -motor, time: 1e-3 };
            finger.observe(&motion, &OWN);
            if !finger.plays() {
                return Some(i + 1);
            }
        }
        None
    }

    #[test]
    fn only_an_external_force_releases_the_key() {
        for motor in [0.35, 0.5] {
            assert_eq!(until_yield(motor, 0.0), None, "{motor} N");
            for external in [-3.0, 3.0] {
                let after = until_yield(motor, external).unwrap();
                assert!(after <= 10, "{motor} N, {external} N: {after} ms");
            }
        }
    }

    #[test]
    fn the_force_stays_within_its_limit_and_ends_with_the_note() {
        let mut finger = VirtualFinger::default();
        finger.note(5.0, 0.0);
        let mut largest = 0.0f64;
        for _ in 0..100 {
            largest = largest.max(finger.force(0.0, 10e-3, 1e-3, 8.0));
        }
        assert_eq!(largest, 8.0);
        finger.note(0.0, 0.0);
        assert_eq!(finger.force(0.0, 10e-3, 1e-3, 8.0), 0.0);
        assert!(finger.plays());
        finger.observe(&SlotMotion { from: 0.0, to: 0.0, force: 0.0, time: 1e-3 }, &OWN);
        assert!(!finger.plays());
    }

    #[test]
    fn a_key_held_by_a_player_is_not_played_until_it_has_rested() {
        let mut finger = VirtualFinger::default();
        finger.note(0.1, 5e-3);
        assert!(!finger.plays() && finger.phase == VirtualFingerPhase::Taken(0));
        let motion_at = |to: f64| SlotMotion { from: to, to, force: 0.0, time: 1e-3 };
        for _ in 0..300 {
            finger.observe(&motion_at(5e-3), &OWN);
        }
        finger.note(0.1, 0.0);
        assert!(!finger.plays());
        for _ in 0..REST {
            finger.observe(&motion_at(0.0), &OWN);
        }
        finger.note(0.1, 0.0);
        assert!(finger.plays());
        finger.note(f64::NAN, 0.0);
        assert_eq!(finger.phase, VirtualFingerPhase::Leaving);
    }
}
