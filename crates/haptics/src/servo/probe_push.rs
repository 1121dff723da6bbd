//! Probe push: before a key gets force, a push of at most 1 N shows direction, delay and strength of its
//! motor.
//!
//! A finger can only push a key down; a key that moves up proves a reversed motor at once.
//! Where weight and friction allow it, a first stage pushes with a third of a newton: it moves only a key whose
//! motor is too strong, before that motor gives more than 1 N.
//! A symptom that a finger may have caused must show three times. A proven key returns to where it was before
//! it gets force. A key that has been played and rests is pushed again, because motors change; there a finger that comes
//! in between ends the push, and the key has force again at once.

mod push;

use super::virtual_finger::KeyMechanics;
use crate::keyboard::symptom::Symptom;
use push::Push;
pub use push::PushReport;

/// Depth within which a key counts as at rest, m.
const NEAR_REST: f64 = 0.3e-3;
/// Largest motion between reports of a key at rest, m.
const REST_MOTION: f64 = 5e-6;
/// Time at rest before the push, s.
const REST_TIME: f64 = 8e-3;
/// Time after a push that has shown a strong motor, s, depth, m, and speed, m/s: a finger goes beyond the one or is still faster than the other.
const COAST: (f64, f64, f64) = (0.04, 5e-3, 0.03);
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
        if push.is_gentle && !push.is_up(report.step) && !push.is_over(report.depth) {
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
