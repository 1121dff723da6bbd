//! One push: what it measures, and what that says of the motor.
//!
//! The push is timed from the moment at which the keyboard began to play it, as the `ack` of its states
//! shows, so that a slow wire is not taken for a slow motor.
//!
//! At rest and without impedance the key is pushed down with f, N, until it has moved 0.12 mm. From
//! d = ½·a·(t − t₀)² the line through √d over t gives the delay t₀, s, and the acceleration a, m/s². The
//! motor constant is k = (m·a + w + c)/f, newtons given for one commanded, with the declared mass m, weight w
//! and friction c.

use touchback_core::math::line::Line;

use crate::keyboard::symptom::Symptom;
use crate::servo::virtual_finger::KeyMechanics;

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
/// Longest wait for the keyboard to receive the push, s; beyond it the wire loses commands.
const NOT_RECEIVED: f64 = 60e-3;
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

/// A push under way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Push {
    /// The push is the first stage.
    pub is_gentle: bool,
    /// Force, N, positive down, and depth at the beginning, m.
    pub force: f64,
    pub from: f64,
    /// Time since the report that caused the push, s.
    time: f64,
    /// Earliest and latest time at which the force began, s after that report.
    pub began: Option<[f64; 2]>,
    /// Time after which a push that has begun ends in any case, s.
    timeout: f64,
    /// Smallest motion, m, negative where the key has moved up.
    lowest: f64,
    /// Time, s, and root of the motion, √m.
    samples: [(f64, f64); SAMPLES],
    count: usize,
}

impl Push {
    /// A push of a key that rests at `report`; the `is_first` one may be the first stage.
    pub fn new(report: &PushReport, mechanics: &KeyMechanics, is_first: bool) -> Self {
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

    /// The key has moved up, by more than noise of a sensor of the step `step`, m: the motor is reversed.
    pub fn is_up(&self, step: f64) -> bool {
        self.lowest <= REVERSED_MOTION.min(-3.0 * step)
    }

    /// The key at the depth `depth`, m, has moved as far as a push goes.
    pub fn is_over(&self, depth: f64) -> bool {
        depth - self.from >= END_MOTION
    }

    /// Adds a report. Returns whether the push is complete.
    pub fn add(&mut self, report: &PushReport) -> bool {
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
        self.is_over(report.depth) || self.time >= end
    }

    /// The symptom, if any, and whether one push shows it.
    pub fn verdict(&self, mechanics: &KeyMechanics, step: f64) -> (Option<Symptom>, bool) {
        let samples = &self.samples[..self.count];
        let Some((_, last)) = samples.last() else {
            let is_up = self.is_up(step);
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
