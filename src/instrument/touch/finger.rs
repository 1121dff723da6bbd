//! One finger on one key: host notes as motions of a finger's target.
//!
//! The finger is the port's one-sided spring ([`Drive::Finger`], 500 N/m and 0.5 N·s/m) whose
//! target depth moves: down at constant speed in a *pressed* touch [Goebl, Bresin & Galembo 2005],
//! on until the key is at its bottom, then to the depth at which the finger holds; up at constant
//! speed in a release, until it is off the key.
//!
//! ```text
//! Away ──press──▶ Pressing ──bottom──▶ Settling ──▶ Holding ──release──▶ Leaving ──▶ Away
//!                    ▲                                 │
//!                    └──────risen── Lifting ◀──repeat──┘
//! ```
//! Any call is allowed in any phase.

use crate::action::grand::spec::GRAVITY;
use crate::action::interface::finger::{HOLD, RISEN, STIFFNESS};
use crate::action::interface::press::{Press, Travel};
use crate::action::{Drive, STEP};
use crate::math::compass::{KeyNumber, linear};

/// How far below the key bottom a pressing finger may aim, m: 60 N, what fortissimo takes
/// [Kinoshita 2007]; the target of a fast press must outrun the key by that much.
const STRONGEST: f64 = 60.0 / STIFFNESS;
/// A key that has not risen after so many steps (0.2 s; a free return takes 0.17 s at most) is
/// pressed from where it is.
const LIFT_STEPS: u32 = 1600;

/// Slowest and fastest silent press, m/s.
const SLOWEST_SILENT: f64 = 0.005;
const FASTEST_SILENT: f64 = 0.03;

/// Motion of the finger's target.
#[derive(Clone, Copy, PartialEq, Debug)]
enum FingerPhase {
    /// Off the key, which has been told.
    Away,
    /// Target going down.
    Pressing { speed: f64 },
    /// Key at the bottom, target coming back up to the hold.
    Settling { speed: f64 },
    /// Target at rest, which the key has been told.
    Holding,
    /// Target going up, to press again when the key has risen.
    Lifting { up: f64, down: f64, steps: u32 },
    /// Target going up for good.
    Leaving { speed: f64 },
}

/// What the finger feels of its key at the beginning of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyReading {
    /// Key-front depth, m.
    pub depth: f64,
    /// How far the key goes.
    pub travel: Travel,
}

/// The finger of one key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoteFinger {
    phase: FingerPhase,
    /// Target depth below the key's rest, m.
    target: f64,
    /// How much of the coming step is over before the motion begins, s.
    late: f64,
    /// The key has met its bed since the press began.
    bottomed: bool,
}

impl NoteFinger {
    /// A finger off the key.
    pub const AWAY: Self =
        Self { phase: FingerPhase::Away, target: 0.0, late: 0.0, bottomed: false };

    /// Presses from the key's present `depth` (m) at `speed` m/s, `late` seconds into the coming
    /// step.
    pub const fn press(&mut self, depth: f64, speed: f64, late: f64) {
        *self = Self {
            phase: FingerPhase::Pressing { speed },
            target: depth.max(0.0),
            late,
            ..Self::AWAY
        };
    }

    /// Lets the key rise at `up` m/s until it can be played again, then presses at `down` m/s.
    pub const fn repeat(&mut self, depth: f64, up: f64, down: f64, late: f64) {
        let phase = FingerPhase::Lifting { up, down, steps: LIFT_STEPS };
        *self = Self { phase, target: self.target.min(depth).max(0.0), late, ..Self::AWAY };
    }

    /// Stands as a finger does that has just sent the hammer of a `press` at `hammer_speed` m/s, and
    /// comes from there to the hold. A strong blow needs its force: under 3 N alone the key springs
    /// off its bed and the check misses the hammer.
    pub fn struck(&mut self, press: &Press, dip: f64, hammer_speed: f64) {
        let (speed, target) = press.finger(hammer_speed);
        let target = target.clamp(dip + HOLD, dip + STRONGEST);
        *self = Self { phase: FingerPhase::Settling { speed }, target, ..Self::AWAY };
    }

    /// Leaves a key that is at `depth` m, rising at `speed` m/s; the fingertip unloads at once.
    pub const fn release(&mut self, depth: f64, speed: f64, late: f64) {
        if !matches!(self.phase, FingerPhase::Away) {
            let target = self.target.min(depth).max(0.0);
            *self = Self { phase: FingerPhase::Leaving { speed }, target, late, ..Self::AWAY };
        }
    }

    /// The key has met its bed.
    pub const fn bottom(&mut self) {
        self.bottomed = true;
    }

    /// Whether the finger is off its key.
    pub const fn is_away(&self) -> bool {
        matches!(self.phase, FingerPhase::Away)
    }

    /// Whether [`NoteFinger::next`] has anything to say.
    pub const fn moves(&self) -> bool {
        !matches!(self.phase, FingerPhase::Away | FingerPhase::Holding)
    }

    /// What the finger does during the coming step; `None` as long as nothing changes.
    pub fn next(&mut self, key: KeyReading) -> Option<Drive> {
        let start = self.target;
        let moved = |speed: f64| speed * (STEP - self.late);
        let hold = key.travel.dip + HOLD;
        if let FingerPhase::Lifting { down, steps, .. } = self.phase
            && (key.depth <= key.travel.again || steps == 0)
        {
            self.press(key.depth, down, 0.0);
            return self.next(key);
        }
        let end = match &mut self.phase {
            FingerPhase::Away | FingerPhase::Holding => return None,
            FingerPhase::Pressing { speed } => {
                let deepest = key.travel.dip + STRONGEST;
                let bottom = self.bottomed || key.depth >= key.travel.dip;
                if start >= deepest || (bottom && start >= hold) {
                    self.phase = FingerPhase::Settling { speed: *speed };
                    return self.next(key);
                }
                (start + moved(*speed)).min(deepest)
            }
            FingerPhase::Settling { speed } => {
                let end = start - moved(*speed);
                if end <= hold {
                    self.phase = FingerPhase::Holding;
                    hold
                } else {
                    end
                }
            }
            FingerPhase::Lifting { up, steps, .. } => {
                *steps -= 1;
                (start - moved(*up)).max(0.0)
            }
            FingerPhase::Leaving { speed } => {
                if start <= 0.0 {
                    *self = Self::AWAY;
                    return Some(Drive::Free);
                }
                (start - moved(*speed)).max(0.0)
            }
        };
        self.late = 0.0;
        self.target = end;
        Some(Drive::Finger([start, end]))
    }
}

/// Time, s, that a finger target moving at `speed` m/s takes from where a key can be played again to
/// let-off.
#[must_use]
pub fn repeat_time(dip: f64, speed: f64) -> f64 {
    (LET_OFF - RISEN) * dip / speed.max(SLOWEST_SILENT)
}

/// Speed of a finger target, m/s, that lifts the damper and lets the hammer fall back unheard: the
/// hammer leaves the jack, `let_off` m below the string, with a quarter of the energy it would need
/// to arrive: what yields between key and hammer throws it faster than the key moves it. Between 5 and 30 mm/s, which is how silent presses are played.
#[must_use]
pub fn silent_speed(let_off: f64) -> f64 {
    let speed = (0.5 * GRAVITY * let_off.max(0.0)).sqrt() / SPEED_RATIO;
    if speed > SLOWEST_SILENT { speed.min(FASTEST_SILENT) } else { SLOWEST_SILENT }
}

/// Speed of a finger target, m/s, for hammer speeds beyond the pressed touch: the one-mass law of a
/// press, carried on from the fastest press the action knows (`pressed`, its hammer and
/// target speeds, if any) so that no step is heard.
#[must_use]
pub fn struck_speed(press: &Press, hammer_speed: f64, pressed: Option<(f64, f64)>) -> f64 {
    let law = |speed| press.finger(speed).0;
    let by_law = law(hammer_speed);
    let speed = match pressed {
        Some((hammer, target)) => target * by_law / law(hammer),
        None => by_law,
    };
    speed.clamp(0.0, FASTEST_TARGET)
}

/// What a press of the grand's `key` meets, as one mass.
#[must_use]
pub fn grand_press(key: KeyNumber, dip: f64) -> Press {
    let mass = linear(&FRONT_MASS, f64::from(key.number()));
    Press { mass, ratio: SPEED_RATIO, throw: LET_OFF * dip, flight: 0.0 }
}

/// How far a grand's key goes.
#[must_use]
pub const fn grand_travel(dip: f64) -> Travel {
    Travel { dip, again: RISEN * dip }
}

/// Mass felt at the key front before let-off, kg, by key number: the middle of the measured
/// 0.30–0.40 kg up to C4 and 0.15–0.20 kg at C8.
const FRONT_MASS: [(f64, f64); 3] = [(1.0, 0.35), (40.0, 0.35), (88.0, 0.175)];
/// Hammer speed over key speed before let-off [Askenfelt & Jansson 1990].
const SPEED_RATIO: f64 = 5.0;
/// Share of the dip at let-off: 1 mm of after-touch in 10 mm.
const LET_OFF: f64 = 0.9;
/// Chosen: with it the strongest finger (60 N) is reached within 8 ms.
const FASTEST_TARGET: f64 = 15.0;

#[cfg(test)]
mod tests {
    use super::*;

    const DIP: f64 = 0.01;

    fn felt(depth: f64) -> KeyReading {
        KeyReading { depth, travel: grand_travel(DIP) }
    }

    fn press(key: KeyNumber) -> Press {
        grand_press(key, DIP)
    }

    /// A key of mass `m` under the finger's spring, on a stiff bed; integrated with fine steps.
    struct MassKey {
        m: f64,
        depth: f64,
        speed: f64,
        target: [f64; 2],
        touched: bool,
    }

    impl MassKey {
        fn new(m: f64) -> Self {
            Self { m, depth: 0.0, speed: 0.0, target: [0.0; 2], touched: false }
        }

        /// One action step; returns the key speed at which let-off depth was passed in it.
        fn step(&mut self, drive: Option<Drive>) -> Option<f64> {
            match drive {
                Some(Drive::Finger(target)) => (self.target, self.touched) = (target, true),
                Some(_) => self.touched = false,
                None => self.target[0] = self.target[1],
            }
            let mut passed = None;
            let h = STEP / 50.0;
            for i in 0..50 {
                let t = (f64::from(i) + 0.5) / 50.0;
                let aim = self.target[0] + (self.target[1] - self.target[0]) * t;
                let rate = (self.target[1] - self.target[0]) / STEP;
                let gap = aim - self.depth;
                let mut force = if self.touched && gap > 0.0 {
                    (STIFFNESS * gap + 0.5 * (rate - self.speed)).max(0.0)
                } else {
                    -0.3
                };
                if self.depth > DIP {
                    force -= 2e5 * (self.depth - DIP) + 150.0 * self.speed;
                }
                let before = self.depth;
                self.speed += force / self.m * h;
                self.depth += self.speed * h;
                if before < LET_OFF * DIP && self.depth >= LET_OFF * DIP {
                    passed = Some(self.speed);
                }
            }
            passed
        }

        fn felt(&self) -> KeyReading {
            felt(self.depth)
        }
    }

    #[test]
    fn a_press_moves_at_constant_speed_bottoms_and_holds_with_3_newton() {
        for speed in [0.03, 0.2, 1.0] {
            let (mut finger, mut key) = (NoteFinger::AWAY, MassKey::new(0.3));
            finger.press(0.0, speed, 0.4 * STEP);
            let mut ends = Vec::new();
            while finger.moves() && ends.len() < 8000 {
                let drive = finger.next(key.felt());
                let Some(Drive::Finger([_, end])) = drive else { panic!("pressing: {drive:?}") };
                ends.push(end);
                key.step(drive);
            }
            assert!((ends[0] - 0.6 * speed * STEP).abs() < 1e-15, "begins inside the step");
            assert!((ends[9] - 9.6 * speed * STEP).abs() < 1e-12, "constant speed");
            assert!((ends[ends.len() - 1] - DIP - HOLD).abs() < 1e-15);
            for _ in 0..8000 {
                key.step(finger.next(key.felt()));
            }
            assert!((STIFFNESS * (finger.target - key.depth) - 3.0).abs() < 0.02);
        }
    }

    #[test]
    fn a_blocked_key_is_never_pressed_beyond_the_strongest_finger() {
        let mut finger = NoteFinger::AWAY;
        finger.press(0.0, 3.0, 0.0);
        let mut deepest = 0.0_f64;
        while let Some(Drive::Finger([_, end])) = finger.next(felt(0.002)) {
            deepest = deepest.max(end);
        }
        assert!((deepest - DIP - STRONGEST).abs() < 1e-12);
        assert!(!finger.moves());
    }

    #[test]
    fn a_release_unloads_rises_and_goes_free() {
        let mut finger = NoteFinger::AWAY;
        let key = KeyNumber::from_index(39).unwrap();
        finger.struck(&press(key), DIP, 0.5);
        assert_eq!(finger.next(felt(DIP)), Some(Drive::Finger([0.016; 2])));
        assert_eq!(finger.next(felt(DIP)), None);
        finger.release(DIP, 0.3, 0.0);
        let (mut last, mut steps) = (DIP, 0);
        loop {
            match finger.next(felt(DIP)) {
                Some(Drive::Finger([start, end])) => {
                    assert!(start == last && end < start);
                    (last, steps) = (end, steps + 1);
                }
                other => {
                    assert_eq!(other, Some(Drive::Free));
                    break;
                }
            }
        }
        assert_eq!(steps, 267, "10 mm at 0.3 m/s in steps of 125 µs");
        assert!(!finger.moves());
        finger.release(0.0, 0.3, 0.0);
        assert!(!finger.moves(), "a finger that is away stays away");
    }

    #[test]
    fn a_repeated_press_waits_for_the_key_to_rise_but_not_for_ever() {
        let mut finger = NoteFinger::AWAY;
        finger.struck(&press(KeyNumber::from_index(39).unwrap()), DIP, 0.5);
        finger.repeat(DIP, 0.3, 0.5, 0.0);
        for _ in 0..40 {
            let Some(Drive::Finger([start, end])) = finger.next(felt(0.008)) else {
                panic!("lifting")
            };
            assert!(end < start);
        }
        let risen = finger.next(felt(0.0025));
        assert_eq!(risen, Some(Drive::Finger([0.0025, 0.0025 + 0.5 * STEP])));

        finger.repeat(DIP, 0.3, 0.5, 0.0);
        let stuck = felt(0.008);
        let steps = (0..10_000)
            .take_while(|_| !matches!(finger.next(stuck), Some(Drive::Finger([a, b])) if b > a))
            .count();
        assert_eq!(steps, 1600);
    }

    #[test]
    fn the_struck_law_throws_a_mass_at_the_hammer_speed() {
        for (index, mass) in [(0, 0.35), (39, 0.35), (87, 0.175)] {
            let note = KeyNumber::from_index(index).unwrap();
            for hammer in [3.0, 5.0, 7.0] {
                let (mut finger, mut key) = (NoteFinger::AWAY, MassKey::new(mass));
                finger.press(0.0, struck_speed(&press(note), hammer, None), 0.0);
                let reached = (0..8000).find_map(|_| key.step(finger.next(key.felt()))).unwrap();
                let error = reached * SPEED_RATIO / hammer - 1.0;
                // The law leaves out the finger's small damping.
                assert!(error.abs() < 0.025, "{index} {hammer} m/s: {error}");
            }
        }
    }

    #[test]
    fn a_finger_after_a_blow_has_the_blows_force_and_relaxes() {
        let key = KeyNumber::from_index(39).unwrap();
        for (hammer, low, high) in [(0.3, 3.0, 3.0), (5.0, 15.0, 40.0), (16.0, 60.0, 60.0)] {
            let mut finger = NoteFinger::AWAY;
            finger.struck(&press(key), DIP, hammer);
            let mut forces = Vec::new();
            while let Some(Drive::Finger([start, _])) = finger.next(felt(DIP)) {
                forces.push(STIFFNESS * (start - DIP));
            }
            assert!(forces[0] > low - 1e-9 && forces[0] < high + 1e-9, "{hammer}: {}", forces[0]);
            assert!(forces.windows(2).all(|w| w[1] < w[0]) && forces.len() < 400);
            assert!((STIFFNESS * (finger.target - DIP) - 3.0).abs() < 1e-9);
        }
    }

    #[test]
    fn the_struck_law_joins_the_fastest_press() {
        let key = KeyNumber::from_index(39).unwrap();
        let joined = struck_speed(&press(key), 4.5, Some((4.5, 1.7)));
        assert!((joined - 1.7).abs() < 1e-12);
        assert!(struck_speed(&press(key), 5.0, Some((4.5, 1.7))) > joined);
        assert_eq!(struck_speed(&press(key), 1e9, None), FASTEST_TARGET);
    }
}
