//! One finger on one key: host notes as motions of a finger's target.
//!
//! A *pressed* touch is a [`Hand`]'s: its muscle drives finger and key until the key is at its
//! bottom. All else is the port's one-sided spring ([`Drive::Finger`], 500 N/m and 0.5 N·s/m) whose
//! target depth moves: down at constant speed in a press that is not to be heard, to the depth at
//! which the finger holds once the key is down, up at constant speed in a release until it is off
//! the key.
//!
//! ```text
//! Away ──press──▶ Pushing, Sinking ──bottom──▶ Settling ──▶ Holding ──release──▶ Leaving ──▶ Away
//!                    ▲                                         │
//!                    └──────────risen── Lifting ◀────repeat────┘
//! ```
//! Any call is allowed in any phase.

use touchback_action::grand::design::spec::GRAVITY;
use touchback_action::interface::finger::{HOLD, RISEN, STIFFNESS};
use touchback_action::interface::hand::{self, Hand};
use touchback_action::interface::press::{Effort, Press, Travel};
use touchback_action::{Drive, STEP};
use touchback_core::math::compass::{KeyNumber, linear};

/// Largest force of a finger, N: what fortissimo takes [Kinoshita 2007].
const STRONGEST: f64 = 60.0;
/// Longest push of a hand, s: beyond it the key is taken to hang and the finger holds. The slowest
/// press takes half of it.
const LONGEST: f64 = 0.4;
/// How long a finger takes from the force of its press to that of its hold, s: as its muscle rose.
const RELAXING: f64 = 2.0 * hand::RISE;
/// A key that has not risen after so many steps (0.2 s; a free return takes 0.17 s at most) is
/// pressed from where it is.
const LIFT_STEPS: u32 = 1600;

/// Longest that a finger waits for its hammer to leave, steps: a lift and a press at their longest,
/// 0.6 s.
const PATIENCE: u32 = 4800;

/// Slowest and fastest silent press, m/s.
const SLOWEST_SILENT: f64 = 0.005;
const FASTEST_SILENT: f64 = 0.03;

/// Motion of the finger's target.
#[derive(Clone, Copy, PartialEq, Debug)]
enum FingerPhase {
    /// Off the key, which has been told.
    Away,
    /// A hand pressing the key down.
    Pushing(Hand),
    /// Target going down evenly.
    Sinking { speed: f64 },
    /// Key at the bottom, target on its way to the hold.
    Settling { speed: f64 },
    /// Target at rest, which the key has been told.
    Holding,
    /// Target going up, to press again when the key has risen.
    Lifting { up: f64, down: Effort, steps: u32 },
    /// Target going up for good.
    Leaving { speed: f64 },
}

/// What a finger does once its press has thrown the hammer.
#[derive(Clone, Copy, PartialEq, Debug)]
struct After {
    /// Speed at which it lets the key rise, m/s.
    up: f64,
    /// The press that follows, and the speed at which the finger leaves the key after that, m/s.
    then: Option<(Effort, Option<f64>)>,
    /// Steps it waits at most.
    patience: u32,
}

impl After {
    const fn new(up: f64, then: Option<(Effort, Option<f64>)>) -> Self {
        Self { up, then, patience: PATIENCE }
    }
}

/// What the finger feels of its key at the beginning of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyReading {
    /// Key-front depth, m, and downward speed, m/s.
    pub front: [f64; 2],
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
    /// The hammer has left since then, or is not to.
    thrown: bool,
    after: Option<After>,
}

impl NoteFinger {
    /// A finger off the key.
    pub const AWAY: Self = Self {
        phase: FingerPhase::Away,
        target: 0.0,
        late: 0.0,
        bottomed: false,
        thrown: false,
        after: None,
    };

    /// Presses with `effort` from the key's present `depth` (m), `late` seconds into the coming
    /// step.
    pub const fn press(&mut self, depth: f64, effort: Effort, late: f64) {
        let target = depth.max(0.0);
        let phase = match effort {
            Effort::Muscle(force) => FingerPhase::Pushing(Hand::pressing(target, force, late)),
            Effort::Even(speed) => FingerPhase::Sinking { speed },
        };
        *self = Self { phase, target, late, ..Self::AWAY };
    }

    /// Lets the key rise at `up` m/s until it can be played again, then presses with `down`.
    pub const fn repeat(&mut self, depth: f64, up: f64, down: Effort, late: f64) {
        let phase = FingerPhase::Lifting { up, down, steps: LIFT_STEPS };
        *self = Self { phase, target: self.target.min(depth).max(0.0), late, ..Self::AWAY };
    }

    /// Stands as a finger does that has just sent the hammer of a `press` at `hammer_speed` m/s, and
    /// comes from there to the hold. A strong blow needs its force: under 3 N alone the key springs
    /// off its bed and the check misses the hammer.
    pub fn struck(&mut self, press: &Press, dip: f64, hammer_speed: f64) {
        let [_, force] = press.muscle(hammer_speed);
        let force = force.clamp(STIFFNESS * HOLD, STRONGEST);
        *self = Self::AWAY;
        self.settle(dip + force / STIFFNESS, dip + HOLD);
    }

    /// On from `target` to the `hold`, m.
    fn settle(&mut self, target: f64, hold: f64) {
        (self.target, self.late) = (target, 0.0);
        self.phase = FingerPhase::Settling { speed: (target - hold).abs() / RELAXING };
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

    /// The hammer has left, or is not to.
    pub const fn throw(&mut self) {
        self.thrown = true;
    }

    /// Whether a press is under way whose hammer has still to leave.
    pub const fn is_throwing(&self) -> bool {
        use FingerPhase::{Lifting, Pushing, Sinking};
        matches!(self.phase, Pushing(_) | Sinking { .. } | Lifting { .. }) && !self.thrown
    }

    /// Whether it will let the key rise once the hammer has left.
    pub const fn waits(&self) -> bool {
        self.after.is_some()
    }

    /// Leaves the key at `speed` m/s, but only when it has played all it is to play.
    pub const fn release_after(&mut self, speed: f64) {
        if let Some(After { then: Some((_, leaving)), .. }) = &mut self.after {
            *leaving = Some(speed);
        } else {
            self.after = Some(After::new(speed, None));
        }
    }

    /// Repeats as [`NoteFinger::repeat`], but only when the hammer has left.
    pub const fn repeat_after(&mut self, up: f64, down: Effort) {
        self.after = Some(After::new(up, Some((down, None))));
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
        let [depth, _] = key.front;
        let bottom = self.bottomed || depth >= key.travel.dip;
        if let Some(after) = &mut self.after {
            after.patience = after.patience.saturating_sub(1);
        }
        if let Some(After { up, then, patience }) = self.after
            && (!self.is_throwing()
                || bottom && !matches!(self.phase, FingerPhase::Lifting { .. })
                || patience == 0)
        {
            match then {
                Some((down, leaving)) => {
                    self.repeat(depth, up, down, 0.0);
                    self.after = leaving.map(|up| After::new(up, None));
                }
                None => self.release(depth, up, 0.0),
            }
            return self.next(key);
        }
        if let FingerPhase::Lifting { down, steps, .. } = self.phase
            && (depth <= key.travel.repeat_depth || steps == 0)
        {
            let after = self.after;
            self.press(depth, down, 0.0);
            self.after = after;
            return self.next(key);
        }
        let end = match &mut self.phase {
            FingerPhase::Away | FingerPhase::Holding => return None,
            FingerPhase::Pushing(hand) => {
                let ends = hand.step(key.front).map(|force| force.min(STRONGEST));
                if bottom || ends[1] >= STRONGEST || hand.age > LONGEST {
                    // The same force by the holding finger's spring.
                    self.settle(depth + ends[0] / STIFFNESS, hold);
                    return self.next(key);
                }
                (self.target, self.late) = (hand.body.x, 0.0);
                return Some(Drive::Force(ends));
            }
            FingerPhase::Sinking { speed } => {
                let deepest = key.travel.dip + STRONGEST / STIFFNESS;
                if start >= deepest || (bottom && start >= hold) {
                    let speed = *speed;
                    self.phase = FingerPhase::Settling { speed };
                    return self.next(key);
                }
                (start + moved(*speed)).min(deepest)
            }
            FingerPhase::Settling { speed } => {
                let way = moved(*speed);
                if (start - hold).abs() <= way {
                    self.phase = FingerPhase::Holding;
                    hold
                } else {
                    start + way * (hold - start).signum()
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

/// Time, s, that an `effort` takes to press a key from where it can be played again to let-off.
#[must_use]
pub fn repeat_time(press: &Press, dip: f64, effort: Effort) -> f64 {
    press.time(effort, (LET_OFF - RISEN) * dip)
}

/// Speed of a finger target, m/s, that lifts the damper and lets the hammer fall back unheard: the
/// hammer leaves the jack, `let_off` m below the string, with a quarter of the energy it would need
/// to arrive: what yields between key and hammer throws it faster than the key moves it. Between 5 and 30 mm/s, which is how silent presses are played.
#[must_use]
pub fn silent_speed(let_off: f64) -> f64 {
    let speed = (0.5 * GRAVITY * let_off.max(0.0)).sqrt() / SPEED_RATIO;
    if speed > SLOWEST_SILENT { speed.min(FASTEST_SILENT) } else { SLOWEST_SILENT }
}

/// Effort for hammer speeds beyond the pressed touch: the one-mass law of a press, carried on from
/// the strongest press the action knows (`pressed`, its hammer speed and effort, if any) so that no
/// step is heard.
#[must_use]
pub fn struck_effort(press: &Press, hammer_speed: f64, pressed: Option<(f64, Effort)>) -> Effort {
    match pressed {
        Some((hammer, Effort::Even(speed))) => {
            let by_law = speed * press.even(hammer_speed) / press.even(hammer);
            Effort::Even(by_law.clamp(0.0, FASTEST_TARGET))
        }
        Some((hammer, Effort::Muscle(force))) => {
            Effort::Muscle(force * press.muscle(hammer_speed)[0] / press.muscle(hammer)[0])
        }
        None => press.effort(hammer_speed),
    }
}

/// Speed of a fingertip, m/s, that throws a hammer at `hammer_speed` pressing evenly, as a motorized
/// key presses itself.
#[must_use]
pub fn fingertip_speed(press: &Press, hammer_speed: f64) -> f64 {
    press.even(hammer_speed).clamp(0.0, FASTEST_TARGET)
}

/// What a press of the grand's `key` meets, as one mass.
#[must_use]
pub fn grand_press(key: KeyNumber, dip: f64) -> Press {
    let mass = linear(&FRONT_MASS, f64::from(key.number()));
    Press { mass, ratio: SPEED_RATIO, throw: LET_OFF * dip, flight: 0.0, has_bed: true }
}

/// How far a grand's key goes.
#[must_use]
pub const fn grand_travel(dip: f64) -> Travel {
    Travel { dip, repeat_depth: RISEN * dip }
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
mod tests;
