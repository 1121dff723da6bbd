//! Probe push: before a key gets force, a push of at most 1 N shows direction, delay and strength of its
//! motor.
//!
//! The push is timed from the moment at which the keyboard began to play it, as the `ack` of its states
//! shows, so that a slow wire is not taken for a slow motor.
//!
//! At rest and without impedance the key is pushed down with f, N, until it has moved 0.12 mm. From
//! d = ½·a·(t − t₀)² the line through √d over t gives the delay t₀, s, and the acceleration a, m/s². The
//! motor constant is k = (m·a + w + c)/f, newtons given for one commanded, with the declared mass m, weight w
//! and friction c. A finger can only push a key down; a key that moves up proves a reversed motor at once.
//! Where weight and friction allow it, a first stage pushes with a third of a newton: it moves only a key whose
//! motor is too strong, before that motor gives more than 1 N.
//! A symptom that a finger may have caused must show three times. A proven key returns to where it was before
//! it gets force. A key that has been played and rests is pushed again, because motors change; there a finger that comes
//! in between ends the push, and the key has force again at once.

use touchback_core::math::line::Line;

use super::virtual_finger::KeyMechanics;
use crate::keyboard::symptom::Symptom;

/// Largest force of the push, N.
const FORCE: f64 = 1.0;
/// Force of the first stage, N: three times as strong a motor gives 1 N.
const GENTLE: f64 = 0.33;
/// Least force beyond weight and friction that moves a key in time, N.
const LEAST_NET: f64 = 0.15;
/// Force beyond weight and friction, N.
const NET_FORCE: f64 = 0.5;
/// Motion that ends the push, m.
const END_MOTION: f64 = 120e-6;
/// Smallest motion of the samples for the line, m.
const MIN_MOTION: f64 = 15e-6;
/// Motion that shows a reversed motor, m: upward.
const REVERSED_MOTION: f64 = -8e-6;
/// Depth within which a key counts as at rest, m.
const NEAR_REST: f64 = 0.3e-3;
/// Largest motion between reports of a key at rest, m.
const REST_MOTION: f64 = 5e-6;
/// Time at rest before the push, s.
const REST_TIME: f64 = 8e-3;
/// Delay of the keyboard's 300 Hz filter as the line shows it, s.
const OWN_DELAY: f64 = 0.4e-3;
/// Largest further delay, s.
const TOO_LATE: f64 = 1.0e-3;
/// Largest further delay per mass, s/kg: 0.3 m/Z at the largest impedance. A damper that acts later than that drives a
/// light key.
const TOO_LATE_OF_MASS: f64 = 0.3 / 25.0;
/// Largest implausible and smallest implausible motor constant: newtons given for one commanded. Docs allow 0.8
/// to 1.25; the push measures it within 10 % where mass, weight and friction are declared rightly.
const TOO_WEAK: f64 = 0.65;
/// See [`TOO_WEAK`].
const TOO_STRONG: f64 = 1.5;
/// Motor constant from which one push is enough, if the key does not go on without force as under a finger.
const SURELY_STRONG: f64 = 1.7;
/// Longest interval in which the keyboard may have begun such a push, s: in a longer one, after a pause of a computer, a
/// finger may have pressed.
const WELL_TIMED: f64 = 2.5e-3;
/// Time after such a push, s, depth, m, and speed, m/s: a finger goes beyond the one or is still faster than the other.
const COAST: (f64, f64, f64) = (0.04, 5e-3, 0.03);
/// Longest wait for the keyboard to receive the push, s; beyond it the wire loses commands.
const NOT_RECEIVED: f64 = 60e-3;
/// Force that lifts a key with too little weight to return by itself, N.
const LIFT: f64 = 0.2;
/// Weight below which a key does not return by itself, N.
const LEAST_WEIGHT: f64 = 0.1;
/// Distance from the starting point at which the key has returned, m.
const RETURNED: f64 = 30e-6;
/// Longest wait for the return, s.
const LONGEST_RETURN: f64 = 0.1;
/// Number of pushes that must show a symptom.
const TRIES: u8 = 3;
/// Largest number of samples of a push.
const SAMPLES: usize = 16;

/// Report of a key, as the push needs it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PushReport {
    /// Depth, m.
    pub depth: f64,
    /// Motion since the last report, m.
    pub motion: f64,
    /// Time since the last report, s.
    pub time: f64,
    /// Times from the report to the earliest and latest moment at which the push began to act, s; none where
    /// the keyboard has not received it.
    pub began: Option<[f64; 2]>,
    /// Step of the sensor, m.
    pub step: f64,
    /// A push may begin now.
    pub may_begin: bool,
}

/// Return of a key after a good push.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Returning {
    /// Depth at which the push began, m.
    to: f64,
    /// Time since the push, s.
    time: f64,
}

/// State of the proof of one key's motor.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProbePush {
    is_proven: bool,
    /// Pushes that have shown a symptom.
    tries: u8,
    /// Time at rest, s.
    rest_time: f64,
    push: Option<Push>,
    /// The next command is the first of a push.
    is_new: bool,
    /// The motor was proven before.
    is_again: bool,
    /// Return after a good push.
    returning: Option<Returning>,
    /// Time since a push that has shown a strong motor, s.
    coast: Option<f64>,
}

/// A push under way.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Push {
    /// The push is the first stage.
    is_gentle: bool,
    /// Force, N, positive down, and depth at the beginning, m.
    force: f64,
    from: f64,
    /// Time since the report that caused the push, s.
    time: f64,
    /// Earliest and latest time at which the force began, s after that report.
    began: Option<[f64; 2]>,
    /// Time after which a push that has begun ends in any case, s.
    timeout: f64,
    /// Smallest motion, m, negative where the key has moved up.
    lowest: f64,
    /// Time, s, and root of the motion, √m.
    samples: [(f64, f64); SAMPLES],
    count: usize,
}

impl ProbePush {
    /// The proof of a key, given already or not.
    pub const fn new(is_proven: bool) -> Self {
        Self {
            is_proven,
            tries: 0,
            rest_time: 0.0,
            push: None,
            is_new: false,
            is_again: false,
            returning: None,
            coast: None,
        }
    }

    /// The motor is proven: the key may get force.
    pub const fn is_proven(&self) -> bool {
        self.is_proven
    }

    /// Begins another proof of a proven motor: the key must be at rest.
    pub(crate) const fn renew(&mut self) {
        self.interrupt();
        (self.is_proven, self.is_again) = (false, true);
    }

    /// The last push has shown a symptom, which a finger may have caused.
    pub(crate) const fn is_doubted(&self) -> bool {
        self.tries > 0
    }

    /// A push or the return after it is under way.
    pub(crate) const fn is_pushing(&self) -> bool {
        self.push.is_some() || self.returning.is_some() || self.coast.is_some()
    }

    /// The next command is the first of a push; the question ends this.
    pub const fn take_new(&mut self) -> bool {
        std::mem::replace(&mut self.is_new, false)
    }

    /// Ends a push; another may begin later.
    pub const fn interrupt(&mut self) {
        (self.push, self.returning, self.coast, self.rest_time) = (None, None, None, 0.0);
    }

    /// Continues with a report. Returns the force to command, N, positive against downward motion, and the
    /// symptom where one is proven.
    pub fn update(
        &mut self,
        report: &PushReport,
        mechanics: &KeyMechanics,
    ) -> (f64, Option<Symptom>) {
        let lift = if mechanics.weight < LEAST_WEIGHT { LIFT } else { 0.0 };
        if let Some(Returning { to, time }) = &mut self.returning {
            *time += report.time;
            let is_up = report.depth - *to < RETURNED;
            if *time > LONGEST_RETURN
                || (is_up && report.motion.abs() <= REST_MOTION.max(2.0 * report.step))
            {
                (self.is_proven, self.returning) = (true, None);
                return (0.0, None);
            }
            return (if is_up { 0.0 } else { lift }, None);
        }
        if let Some(time) = &mut self.coast {
            *time += report.time;
            let goes_on = report.depth > NEAR_REST && report.motion > COAST.2 * report.time;
            let is_deep = report.depth > COAST.1;
            if is_deep || *time >= COAST.0 {
                self.coast = None;
                return (0.0, self.count(Symptom::Strong, !is_deep && !goes_on));
            }
            // A key without weight does not stop by itself.
            return (if report.depth > NEAR_REST { lift } else { 0.0 }, None);
        }
        let Some(push) = &mut self.push else {
            let limit = REST_MOTION.max(2.0 * report.step);
            let is_at_rest = report.depth.abs() < NEAR_REST && report.motion.abs() <= limit;
            self.rest_time = if is_at_rest { self.rest_time + report.time } else { 0.0 };
            if self.is_again && !is_at_rest {
                // A finger has come before the push.
                self.is_proven = true;
                return (0.0, None);
            }
            if self.rest_time < REST_TIME || !report.may_begin {
                // A key without weight does not return by itself.
                let is_down = self.tries > 0 && report.depth > NEAR_REST;
                return (if is_down { lift } else { 0.0 }, None);
            }
            let push = Push::new(report, mechanics, true);
            (self.push, self.is_new) = (Some(push), true);
            return (-push.force, None);
        };
        if !push.add(report) {
            return (-push.force, None);
        }
        if push.began.is_none() {
            // No fault of the key: the wire has lost the commands.
            self.interrupt();
            self.is_proven = self.is_again;
            return (0.0, None);
        }
        let is_up = push.lowest <= REVERSED_MOTION.min(-3.0 * report.step);
        if push.is_gentle && !is_up && report.depth - push.from < END_MOTION {
            // The motor is not much too strong.
            let push = Push::new(report, mechanics, false);
            (self.push, self.is_new) = (Some(push), true);
            return (-push.force, None);
        }
        let (verdict, is_sure) = push.verdict(mechanics, report.step);
        let from = push.from;
        self.interrupt();
        match verdict {
            None => (self.returning, self.tries) = (Some(Returning { to: from, time: 0.0 }), 0),
            Some(Symptom::Strong) if is_sure => self.coast = Some(0.0),
            Some(symptom) => return (0.0, self.count(symptom, is_sure)),
        }
        (0.0, None)
    }

    /// Counts a push that has shown `symptom`; returns it where it is proven.
    const fn count(&mut self, symptom: Symptom, is_sure: bool) -> Option<Symptom> {
        self.is_proven = self.is_again;
        self.tries += if is_sure { TRIES } else { 1 };
        if self.tries < TRIES {
            return None;
        }
        (self.tries, self.is_proven) = (0, false);
        Some(symptom)
    }
}

impl Push {
    fn new(report: &PushReport, mechanics: &KeyMechanics, is_first: bool) -> Self {
        let against = mechanics.weight.max(0.0) + mechanics.friction;
        // A right motor moves a key that needs little force in the first stage already.
        let is_gentle = is_first && against + LEAST_NET > GENTLE && against < 0.7 * FORCE;
        let is_light = is_first && against + LEAST_NET <= GENTLE;
        let force = match (is_gentle, is_light) {
            // Less than moves a key with a right motor.
            (true, _) => GENTLE.min(0.9 * against),
            (_, true) => GENTLE,
            _ => (against + NET_FORCE).min(FORCE),
        };
        let net = if is_gentle { FORCE - against } else { force - against }.max(LEAST_NET);
        // Twice the time that the declared mass needs, and 6 ms.
        let timeout = 2.0 * (2.0 * END_MOTION * mechanics.mass / net).sqrt() + 6e-3;
        let samples = [(0.0, 0.0); SAMPLES];
        Self {
            is_gentle,
            force,
            from: report.depth,
            time: 0.0,
            began: None,
            timeout,
            lowest: 0.0,
            samples,
            count: 0,
        }
    }

    /// Adds a report. Returns whether the push is complete.
    fn add(&mut self, report: &PushReport) -> bool {
        self.time += report.time;
        if self.began.is_none() {
            self.began = report.began.map(|began| began.map(|at| self.time + at));
        }
        let motion = report.depth - self.from;
        self.lowest = self.lowest.min(motion);
        if motion > MIN_MOTION.max(2.0 * report.step)
            && let Some(sample) = self.samples.get_mut(self.count)
        {
            *sample = (self.time, motion.sqrt());
            self.count += 1;
        }
        let end = self.began.map_or(NOT_RECEIVED, |[_, latest]| latest + self.timeout);
        motion >= END_MOTION || self.time >= end
    }

    /// The symptom, if any, and whether one push shows it.
    fn verdict(&self, mechanics: &KeyMechanics, step: f64) -> (Option<Symptom>, bool) {
        let samples = &self.samples[..self.count];
        let Some((_, last)) = samples.last() else {
            let is_up = self.lowest <= REVERSED_MOTION.min(-3.0 * step);
            return (Some(if is_up { Symptom::Reversed } else { Symptom::Unmoved }), is_up);
        };
        if last * last < END_MOTION {
            return (Some(Symptom::Unmoved), false);
        }
        // A single sample gives no line: a finger pushed the key, or it is very light.
        let Some(line) = Line::through(samples).filter(|line| line.slope > 0.0) else {
            return (None, false);
        };
        let inertia = mechanics.mass * 2.0 * line.slope * line.slope;
        let strength = (inertia + mechanics.weight + mechanics.friction) / self.force;
        let zero = -line.at(0.0) / line.slope;
        let [earliest, latest] = self.began.unwrap_or_default();
        // A count of the sensor is up to a step late.
        let counted = step / (2.0 * line.slope * last);
        if zero - latest > OWN_DELAY + counted + TOO_LATE.min(TOO_LATE_OF_MASS * mechanics.mass) {
            // A finger would change the acceleration of the declared mass.
            return (Some(Symptom::Delayed), samples.len() > 2 && (0.8..=1.25).contains(&strength));
        }
        // A finger that presses during the push makes the motor seem strong, one that rests on the key weak.
        if strength > TOO_STRONG {
            let is_timed = zero - earliest > -0.5e-3 && latest - earliest < WELL_TIMED;
            return (Some(Symptom::Strong), is_timed && strength > SURELY_STRONG);
        }
        ((strength < TOO_WEAK).then_some(Symptom::Weak), false)
    }
}
