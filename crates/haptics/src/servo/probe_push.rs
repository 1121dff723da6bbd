//! Probe push: before a key gets force, a push of at most 1 N shows direction, delay and strength of its
//! motor.
//!
//! At rest and without impedance the key is pushed down with f, N, until it has moved 0.12 mm. From
//! d = ½·a·(t − t₀)² the line through √d over t gives the delay t₀, s, and the acceleration a, m/s². The
//! motor constant is k = (m·a + w + c)/f, newtons given for one commanded, with the declared mass m, weight w
//! and friction c. A finger can only push a key down; a key that moves up proves a reversed motor at once.
//! A symptom that a finger may have caused must show three times. A proven key returns to where it was before
//! it gets force.

use touchback_core::math::line::Line;

use super::virtual_finger::KeyMechanics;
use crate::symptom::Symptom;

/// Largest force of the push, N.
const FORCE: f64 = 1.0;
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
/// Largest further delay: s, and as a share of m/Z at the largest impedance. A damper that acts later than that
/// drives a light key.
const TOO_LATE: (f64, f64) = (1.0e-3, 0.3 / 25.0);
/// Smallest implausible motor constant: newtons given for one commanded.
const TOO_STRONG: f64 = 2.5;
/// Force that lifts a key with too little weight to return by itself, N, and the limit of that weight, N.
const LIFT: (f64, f64) = (0.2, 0.1);
/// Distance from the starting point at which the key has returned, m, and longest wait for the return, s.
const RETURNED: (f64, f64) = (30e-6, 0.1);
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
    /// Time from a state to the play-out of its answer, s.
    pub lead: f64,
    /// Step of the sensor, m.
    pub step: f64,
    /// A push may begin now.
    pub may_begin: bool,
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
    /// Return after a good push: starting point, m, and time since, s.
    returning: Option<(f64, f64)>,
}

/// A push under way.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Push {
    /// Force, N, positive down, and depth at the beginning, m.
    force: f64,
    from: f64,
    /// Time since the force began, s.
    time: f64,
    /// Time after which the push ends in any case, s.
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
        Self { is_proven, tries: 0, rest_time: 0.0, push: None, returning: None }
    }

    /// The motor is proven: the key may get force.
    pub const fn is_proven(&self) -> bool {
        self.is_proven
    }

    /// A push or the return after it is under way.
    pub const fn is_pushing(&self) -> bool {
        self.push.is_some() || self.returning.is_some()
    }

    /// Ends a push; another may begin later.
    pub const fn interrupt(&mut self) {
        (self.push, self.returning, self.rest_time) = (None, None, 0.0);
    }

    /// Continues with a report. Returns the force to command, N, positive against downward motion, and the
    /// symptom where one is proven.
    pub fn update(
        &mut self,
        report: &PushReport,
        mechanics: &KeyMechanics,
    ) -> (f64, Option<Symptom>) {
        let lift = if mechanics.weight < LIFT.1 { LIFT.0 } else { 0.0 };
        if let Some((from, time)) = &mut self.returning {
            *time += report.time;
            let is_up = report.depth - *from < RETURNED.0;
            if *time > RETURNED.1
                || (is_up && report.motion.abs() <= REST_MOTION.max(2.0 * report.step))
            {
                (self.is_proven, self.returning) = (true, None);
                return (0.0, None);
            }
            return (if is_up { 0.0 } else { lift }, None);
        }
        let Some(push) = &mut self.push else {
            let limit = REST_MOTION.max(2.0 * report.step);
            let is_at_rest = report.depth.abs() < NEAR_REST && report.motion.abs() <= limit;
            self.rest_time = if is_at_rest { self.rest_time + report.time } else { 0.0 };
            if self.rest_time < REST_TIME || !report.may_begin {
                // A key without weight does not return by itself.
                let is_down = self.tries > 0 && report.depth > NEAR_REST;
                return (if is_down { lift } else { 0.0 }, None);
            }
            let push = Push::new(report, mechanics);
            self.push = Some(push);
            return (-push.force, None);
        };
        if !push.add(report) {
            return (-push.force, None);
        }
        let (verdict, is_sure) = push.verdict(mechanics, report.step);
        let from = push.from;
        self.interrupt();
        match verdict {
            None => self.returning = Some((from, 0.0)),
            Some(symptom) => {
                self.tries += if is_sure { TRIES } else { 1 };
                if self.tries >= TRIES {
                    self.tries = 0;
                    return (0.0, Some(symptom));
                }
            }
        }
        (0.0, None)
    }
}

impl Push {
    fn new(report: &PushReport, mechanics: &KeyMechanics) -> Self {
        let against = mechanics.weight.max(0.0) + mechanics.friction;
        let force = (against + NET_FORCE).min(FORCE);
        let net = (force - against).max(0.15);
        // Twice the time that the declared mass needs, and 6 ms.
        let timeout = 2.0 * (2.0 * END_MOTION * mechanics.mass / net).sqrt() + 6e-3;
        let from = report.depth;
        let samples = [(0.0, 0.0); SAMPLES];
        Self { force, from, time: -report.lead, timeout, lowest: 0.0, samples, count: 0 }
    }

    /// Adds a report. Returns whether the push is complete.
    fn add(&mut self, report: &PushReport) -> bool {
        self.time += report.time;
        let motion = report.depth - self.from;
        self.lowest = self.lowest.min(motion);
        if motion > MIN_MOTION.max(2.0 * report.step)
            && let Some(sample) = self.samples.get_mut(self.count)
        {
            *sample = (self.time, motion.sqrt());
            self.count += 1;
        }
        motion >= END_MOTION || self.time >= self.timeout
    }

    /// The symptom, if any, and whether no finger can have caused it.
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
        let began = -line.at(0.0) / line.slope;
        if began > OWN_DELAY + TOO_LATE.0.min(TOO_LATE.1 * mechanics.mass) {
            // A finger would change the acceleration of the declared mass.
            return (Some(Symptom::Delayed), samples.len() > 2 && (0.8..=1.25).contains(&strength));
        }
        // A finger would have to push within the same millisecond.
        ((strength > TOO_STRONG).then_some(Symptom::Strong), began > -0.5e-3)
    }
}
