//! The first push: before a key is given force it shows that its motor moves it, which way, how late
//! and how strongly, at 1 N or less.
//!
//! At rest, with no impedance, the key is pushed down with f N until it has moved 0.12 mm. From
//! d = ½·a·(t − t₀)² the line through √d over t gives the delay t₀ and the acceleration a; the motor
//! gives k = (m·a + w + c)/f newtons for one commanded. A finger can only push the key down, so that a
//! key that goes up says it at once; what a finger might have caused is tried three times. A right key
//! goes back to where it was before it is given force.

use touchback_core::math::line::Line;

use super::virtual_finger::KeyMechanics;
use crate::symptom::Symptom;

/// Largest force of the push, N.
const FORCE: f64 = 1.0;
/// Force beyond weight and friction, N.
const BEYOND: f64 = 0.5;
/// Way that ends it, m.
const WAY: f64 = 120e-6;
/// Way from which the line is drawn, m.
const SEEN: f64 = 15e-6;
/// Way up that a motor the wrong way round makes, m.
const UP: f64 = -8e-6;
/// Depth within which a key counts as at rest, m.
const NEAR_REST: f64 = 0.3e-3;
/// Motion between reports that counts as none, m.
const STILL: f64 = 5e-6;
/// Time at rest before it, s.
const REST: f64 = 8e-3;
/// Delay of the keyboard's own law as the line shows it, s: the 300 Hz filter.
const OWN_DELAY: f64 = 0.4e-3;
/// Delay beyond it that is too much: s, and as a share of m/Z at the largest impedance, from where
/// on a damper that acts so late drives a light key.
const TOO_LATE: (f64, f64) = (1.0e-3, 0.3 / 25.0);
/// Newtons for one commanded that are too many.
const TOO_STRONG: f64 = 2.5;
/// Force that lifts a key which has too little weight to come back by itself, N, and that weight.
const LIFT: (f64, f64) = (0.2, 0.1);
/// Distance from where it was at which it is back, m; longest wait for that, s.
const BACK: (f64, f64) = (30e-6, 0.1);
/// Pushes that a symptom takes.
const TRIES: u8 = 3;
/// Samples kept.
const SAMPLES: usize = 16;

/// What a report brings for the push.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PushReport {
    /// Depth, m.
    pub depth: f64,
    /// Motion since the last report, m.
    pub way: f64,
    /// Time since the last report, s.
    pub time: f64,
    /// From a state to its answer's play-out, s.
    pub lead: f64,
    /// Step of the sensor, m.
    pub step: f64,
    /// A push may begin now.
    pub may_begin: bool,
}

/// How far a key's first push has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProbePush {
    is_proven: bool,
    tries: u8,
    still: f64,
    push: Option<Push>,
    /// The push was right: where the key was, m, and how long it has been on its way back, s.
    back: Option<(f64, f64)>,
}

/// A push under way.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Push {
    force: f64,
    from: f64,
    /// Time since the force began, s.
    time: f64,
    lasts: f64,
    lowest: f64,
    samples: [(f64, f64); SAMPLES],
    count: usize,
}

impl ProbePush {
    /// A key that has been pushed before, or not.
    pub const fn new(is_proven: bool) -> Self {
        Self { is_proven, tries: 0, still: 0.0, push: None, back: None }
    }

    /// It may be given force.
    pub const fn is_proven(&self) -> bool {
        self.is_proven
    }

    /// It is being pushed.
    pub const fn is_pushing(&self) -> bool {
        self.push.is_some() || self.back.is_some()
    }

    /// The push ends; it may begin again.
    pub const fn interrupt(&mut self) {
        (self.push, self.back, self.still) = (None, None, 0.0);
    }

    /// Takes a report; force to be commanded, N, positive against downward motion, and what is wrong.
    pub fn look(&mut self, report: &PushReport, own: &KeyMechanics) -> (f64, Option<Symptom>) {
        let lift = if own.weight < LIFT.1 { LIFT.0 } else { 0.0 };
        if let Some((from, time)) = &mut self.back {
            *time += report.time;
            let is_up = report.depth - *from < BACK.0;
            if *time > BACK.1 || (is_up && report.way.abs() <= STILL.max(2.0 * report.step)) {
                (self.is_proven, self.back) = (true, None);
                return (0.0, None);
            }
            return (if is_up { 0.0 } else { lift }, None);
        }
        let Some(push) = &mut self.push else {
            let still = STILL.max(2.0 * report.step);
            let is_still = report.depth.abs() < NEAR_REST && report.way.abs() <= still;
            self.still = if is_still { self.still + report.time } else { 0.0 };
            if self.still < REST || !report.may_begin {
                // A key without weight does not come back by itself.
                let is_down = self.tries > 0 && report.depth > NEAR_REST;
                return (if is_down { lift } else { 0.0 }, None);
            }
            let push = Push::new(report, own);
            self.push = Some(push);
            return (-push.force, None);
        };
        if !push.take(report) {
            return (-push.force, None);
        }
        let (verdict, is_sure) = push.verdict(own, report.step);
        let from = push.from;
        self.interrupt();
        match verdict {
            None => self.back = Some((from, 0.0)),
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
    fn new(report: &PushReport, own: &KeyMechanics) -> Self {
        let against = own.weight.max(0.0) + own.friction;
        let force = (against + BEYOND).min(FORCE);
        let net = (force - against).max(0.15);
        // Twice what the declared mass takes, and 6 ms.
        let lasts = 2.0 * (2.0 * WAY * own.mass / net).sqrt() + 6e-3;
        let from = report.depth;
        let samples = [(0.0, 0.0); SAMPLES];
        Self { force, from, time: -report.lead, lasts, lowest: 0.0, samples, count: 0 }
    }

    /// Takes a report; whether it was the last.
    fn take(&mut self, report: &PushReport) -> bool {
        self.time += report.time;
        let way = report.depth - self.from;
        self.lowest = self.lowest.min(way);
        if way > SEEN.max(2.0 * report.step)
            && let Some(sample) = self.samples.get_mut(self.count)
        {
            *sample = (self.time, way.sqrt());
            self.count += 1;
        }
        way >= WAY || self.time >= self.lasts
    }

    /// What is wrong, and whether no finger can have caused it.
    fn verdict(&self, own: &KeyMechanics, step: f64) -> (Option<Symptom>, bool) {
        let samples = &self.samples[..self.count];
        let Some((_, last)) = samples.last() else {
            let is_up = self.lowest <= UP.min(-3.0 * step);
            return (Some(if is_up { Symptom::Reversed } else { Symptom::Unmoved }), is_up);
        };
        if last * last < WAY {
            return (Some(Symptom::Unmoved), false);
        }
        // Of a single sample nothing can be said: it was pushed by a finger, or is very light.
        let Some(line) = Line::through(samples).filter(|line| line.slope > 0.0) else {
            return (None, false);
        };
        let inertia = own.mass * 2.0 * line.slope * line.slope;
        let given = (inertia + own.weight + own.friction) / self.force;
        let began = -line.at(0.0) / line.slope;
        if began > OWN_DELAY + TOO_LATE.0.min(TOO_LATE.1 * own.mass) {
            // With a finger's help or hindrance it would not move as its own mass does.
            return (Some(Symptom::Delayed), samples.len() > 2 && (0.8..=1.25).contains(&given));
        }
        // A finger would have to come in the same millisecond.
        ((given > TOO_STRONG).then_some(Symptom::Strong), began > -0.5e-3)
    }
}
