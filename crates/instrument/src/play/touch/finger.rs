//! One finger on one key: host notes as motions of a finger's target.
//!
//! A *pressed* touch is that of a [`Hand`]: its muscle drives finger and key until the key is at its
//! bottom. In all other phases the finger is the port's one-sided spring ([`Drive::Finger`], 500 N/m and
//! 0.5 N·s/m) with a moving target depth: down at constant speed in a silent press, to the holding depth
//! once the key is down, up at constant speed in a release until the finger is off the key.
//!
//! ```text
//! Away ──press──▶ Pushing, Sinking ──bottom──▶ Settling ──▶ Holding ──release──▶ Leaving ──▶ Away
//!                    ▲                                         │
//!                    └──────────risen── Lifting ◀────repeat────┘
//! ```
//! Any call is allowed in any phase.

use touchback_action::interface::finger::{HOLD, RISEN, STIFFNESS};
use touchback_action::interface::hand::{Hand, STRONGEST};
use touchback_action::interface::press::{Effort, Press, Travel};
use touchback_action::{Drive, GRAVITY, STEP};
use touchback_core::math::compass::{KeyNumber, linear};

/// Longest push of a hand, s: after it the key counts as stuck and the finger holds. The slowest
/// press takes two thirds of this time.
const LONGEST: f64 = 0.6;
/// Time from the force of a press to that of the hold, s: as fast as the muscle of a strong press rises from
/// 0.1 to 0.5 (chosen).
const RELAXING: f64 = 0.05;
/// Speed of the target under aftertouch, m/s: 3 N in [`RELAXING`].
const DEEPENING: f64 = HOLD / RELAXING;
/// Steps after which a key that has not risen is pressed from its present depth (0.2 s; a free return
/// takes 0.17 s at most).
const LIFT_STEPS: u32 = 1600;

/// Longest time for which a finger waits for its hammer to leave, steps: the longest lift and press,
/// 0.8 s.
const PATIENCE: u32 = 6400;

/// Slowest silent press, m/s.
const SLOWEST_SILENT: f64 = 0.005;
/// Fastest silent press, m/s.
const FASTEST_SILENT: f64 = 0.03;

/// Motion of the finger's target.
#[derive(Clone, Copy, PartialEq, Debug)]
enum FingerPhase {
    /// Off the key; the key's drive is [`Drive::Free`].
    Away,
    /// A hand pressing the key down.
    Pushing(Hand),
    /// Target going down at constant speed.
    Sinking { speed: f64 },
    /// Key at the bottom, target on its way to the hold.
    Settling { speed: f64 },
    /// Target at rest; the key has its drive.
    Holding,
    /// Target going up, to press again when the key has risen.
    Lifting { up: f64, down: Effort, steps: u32 },
    /// Target going up until the finger is off the key.
    Leaving { speed: f64 },
}

/// Actions of a finger after its press has thrown the hammer.
#[derive(Clone, Copy, PartialEq, Debug)]
struct After {
    /// Speed at which the finger lets the key rise, m/s.
    up: f64,
    /// The press that follows, and the speed at which the finger leaves the key after that, m/s.
    then: Option<(Effort, Option<f64>)>,
    /// Steps for which the finger still waits.
    patience: u32,
}

impl After {
    const fn new(up: f64, then: Option<(Effort, Option<f64>)>) -> Self {
        Self { up, then, patience: PATIENCE }
    }
}

/// State of a key at the beginning of a step, as its finger needs it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyReading {
    /// Key-front depth, m, and downward speed, m/s.
    pub front: [f64; 2],
    /// Travel of the key.
    pub travel: Travel,
}

/// The finger of one key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoteFinger {
    phase: FingerPhase,
    /// Target depth below the key's rest, m.
    target: f64,
    /// Time in the coming step before the motion begins, s.
    late: f64,
    /// The key has reached its bed since the press began.
    bottomed: bool,
    /// The hammer has left since the press began, or is not to leave.
    thrown: bool,
    after: Option<After>,
    /// How much deeper than usual the finger holds, m.
    more: f64,
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
        more: 0.0,
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

    /// Sets the finger to the end of a `press` that has sent the hammer at `hammer_speed` m/s; it then goes to
    /// the hold. The force of a strong blow is needed: under 3 N alone the key would spring off its bed and
    /// the check would miss the hammer.
    pub fn struck(&mut self, press: &Press, travel: &Travel, hammer_speed: f64) {
        let force = press.tip(hammer_speed).clamp(STIFFNESS * travel.hold, STRONGEST);
        *self = Self::AWAY;
        self.settle(travel.dip + force / STIFFNESS, travel.dip + travel.hold);
    }

    /// Target of the fingertip, m below the key's rest.
    pub const fn target(&self) -> f64 {
        self.target
    }

    /// Presses a held key deeper by `more` m of the finger's target, now and until the key is released. Whether the
    /// finger moves.
    pub fn deepen(&mut self, more: f64) -> bool {
        if matches!(self.phase, FingerPhase::Away | FingerPhase::Leaving { .. }) {
            return false;
        }
        self.more = more;
        if matches!(self.phase, FingerPhase::Holding) {
            self.phase = FingerPhase::Settling { speed: DEEPENING };
        }
        true
    }

    /// Moves the target from `target` to `hold`, m.
    fn settle(&mut self, target: f64, hold: f64) {
        (self.target, self.late) = (target, 0.0);
        self.phase = FingerPhase::Settling { speed: (target - hold).abs() / RELAXING };
    }

    /// Leaves a key at `depth` m, which rises at `speed` m/s; the fingertip is unloaded at once.
    pub const fn release(&mut self, depth: f64, speed: f64, late: f64) {
        if !matches!(self.phase, FingerPhase::Away) {
            let target = self.target.min(depth).max(0.0);
            *self = Self { phase: FingerPhase::Leaving { speed }, target, late, ..Self::AWAY };
        }
    }

    /// The key has reached its bed.
    pub const fn bottom(&mut self) {
        self.bottomed = true;
    }

    /// The hammer has left, or is not to leave.
    pub const fn throw(&mut self) {
        self.thrown = true;
    }

    /// Whether a press is in progress whose hammer has not left.
    pub(crate) const fn is_throwing(&self) -> bool {
        use FingerPhase::{Lifting, Pushing, Sinking};
        matches!(self.phase, Pushing(_) | Sinking { .. } | Lifting { .. }) && !self.thrown
    }

    /// Whether the finger will let the key rise once the hammer has left.
    pub const fn waits(&self) -> bool {
        self.after.is_some()
    }

    /// Whether the finger lets the key rise before it presses again.
    pub(crate) const fn is_lifting(&self) -> bool {
        matches!(self.phase, FingerPhase::Lifting { .. })
    }

    /// Whether the finger will press the key again once the hammer has left.
    pub const fn is_followed(&self) -> bool {
        matches!(self.after, Some(After { then: Some(_), .. }))
    }

    /// Leaves the key at `speed` m/s after all pending presses.
    pub(crate) const fn release_after(&mut self, speed: f64) {
        if let Some(After { then: Some((_, leaving)), .. }) = &mut self.after {
            *leaving = Some(speed);
        } else {
            self.after = Some(After::new(speed, None));
        }
    }

    /// Repeats like [`NoteFinger::repeat`], once the hammer has left.
    pub(crate) const fn repeat_after(&mut self, up: f64, down: Effort) {
        self.after = Some(After::new(up, Some((down, None))));
    }

    /// Whether the finger is off its key.
    pub const fn is_away(&self) -> bool {
        matches!(self.phase, FingerPhase::Away)
    }

    /// Whether [`NoteFinger::next`] may return a drive.
    pub const fn moves(&self) -> bool {
        !matches!(self.phase, FingerPhase::Away | FingerPhase::Holding)
    }

    /// Drive of the key during the coming step; `None` while it does not change.
    pub fn next(&mut self, key: KeyReading) -> Option<Drive> {
        let start = self.target;
        let moved = |speed: f64| speed * (STEP - self.late);
        let hold = key.travel.dip + key.travel.hold + self.more;
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
                    // The holding finger's spring continues with the same force.
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
                let distance = moved(*speed);
                if (start - hold).abs() <= distance {
                    self.phase = FingerPhase::Holding;
                    hold
                } else {
                    start + distance * (hold - start).signum()
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
    press.repeat_time(effort, (LET_OFF - RISEN) * dip)
}

/// Speed of a finger target, m/s, that lifts the damper without a strike: the hammer leaves the jack,
/// `let_off` m below the string, with a quarter of the energy that it would need to arrive, because the
/// elastic parts between key and hammer throw it faster than the key moves it. Below 0.6 mm the speed is in
/// proportion to `let_off` (chosen): when the jack leaves the knuckle, the finger's spring throws the key of a
/// heavy hammer faster than the target moves. Limited to 5…30 mm/s, the speeds of silent presses.
#[must_use]
pub fn silent_speed(let_off: f64) -> f64 {
    let let_off = let_off.max(0.0);
    let speed = (0.5 * GRAVITY * let_off).sqrt().min(90.0 * let_off) / SPEED_RATIO;
    if speed > SLOWEST_SILENT { speed.min(FASTEST_SILENT) } else { SLOWEST_SILENT }
}

/// Effort for hammer speeds beyond the fastest press: the one-mass law of a press, continued without a step
/// from the strongest press of the action (`pressed`: its hammer speed and effort, if any).
#[must_use]
pub(crate) fn struck_effort(
    press: &Press,
    hammer_speed: f64,
    pressed: Option<(f64, Effort)>,
) -> Effort {
    match pressed {
        Some((hammer, Effort::Even(speed))) => {
            let by_law = speed * press.even(hammer_speed) / press.even(hammer);
            Effort::Even(by_law.clamp(0.0, FASTEST_TARGET))
        }
        Some((hammer, Effort::Muscle(force))) => {
            Effort::Muscle(force * press.muscle(hammer_speed) / press.muscle(hammer))
        }
        None => press.effort(hammer_speed),
    }
}

/// Constant speed of a fingertip, m/s, that throws a hammer at `hammer_speed`, as a motorized key presses
/// itself.
#[must_use]
pub(crate) fn fingertip_speed(press: &Press, hammer_speed: f64) -> f64 {
    press.even(hammer_speed).clamp(0.0, FASTEST_TARGET)
}

/// The grand's `key` under a press, as one mass.
#[must_use]
pub(crate) fn grand_press(key: KeyNumber, dip: f64) -> Press {
    let mass = linear(&FRONT_MASS, f64::from(key.number()));
    Press { mass, ratio: SPEED_RATIO, throw: LET_OFF * dip, flight: 0.0, has_bed: true }
}

/// Travel of a grand's key.
#[must_use]
pub const fn grand_travel(dip: f64) -> Travel {
    Travel::of(dip)
}

/// Effective mass at the key front before let-off, kg, by key number: the middle of the measured
/// 0.30–0.40 kg up to C4 and 0.15–0.20 kg at C8.
const FRONT_MASS: [(f64, f64); 3] = [(1.0, 0.35), (40.0, 0.35), (88.0, 0.175)];
/// Hammer speed over key speed before let-off [Askenfelt & Jansson 1990].
const SPEED_RATIO: f64 = 5.0;
/// Share of the dip at let-off: 1 mm of after-touch in 10 mm.
const LET_OFF: f64 = 0.9;
/// Fastest finger target, m/s (chosen: it reaches the largest force, 60 N, within 8 ms).
const FASTEST_TARGET: f64 = 15.0;

#[cfg(test)]
mod tests;
