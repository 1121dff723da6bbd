//! Watch of one key's sensor: noise, a position that stands still, a rest position that moves.
//!
//! A key cannot change its acceleration from report to report as noise does: the second difference of the
//! position alternates. A pushed key cannot stand still to one count: where it does, a nudge of less than a
//! newton must move it. On the key bed even that may not show, so there the force is limited in place of a halt. A key that
//! stands or creeps a little below its rest is pushed up: one that a finger holds gives way, one that does not is at rest,
//! and its sensor has drifted. A sensor that drifts upward shows a key above its rest, which the simulated key would push
//! down as far as the drift goes. A key that rests under a force down gets none until it goes down; it rises, and one that
//! stands above its rest, where no finger holds a key, has a sensor that has drifted.

use super::virtual_finger::KeyMechanics;
use crate::keyboard::symptom::Symptom;

/// Force beyond weight and friction under which a key must move, and to which the force of a remarkable key is
/// limited, N.
const FIRM: f64 = 1.0;
/// Time without a count after which the key is nudged, s.
const STILL_TIME: f64 = 0.3;
/// Time without a count after which a key is nudged again that has answered a nudge, s.
const RESPITE: f64 = 2.0;
/// Motion that ends this respite, m.
const RESPITE_MOTION: f64 = 0.2e-3;
/// Duration of a nudge, s: two periods of 25 Hz; and half a period, s.
const NUDGE_TIME: f64 = 0.08;
/// See [`NUDGE_TIME`].
const NUDGE_HALF: f64 = 0.02;
/// Force of a nudge beyond friction, N.
const NUDGE_FORCE: f64 = 0.4;
/// Distance from the key bed within which a nudge may not move the key by a count, m.
const NEAR_BED: f64 = 0.5e-3;
/// Least second difference that counts as noise, m.
const NOISE: f64 = 15e-6;
/// Least second difference that counts as noise, sensor steps.
const NOISE_STEPS: f64 = 4.0;
/// Time constant of the ratio of noisy reports, s.
const NOISE_TIME: f64 = 0.12;
/// Ratio of noisy reports that is too large; chosen: with 20 µm rms of white noise it is 0.6, with 8 µm 0.2.
const MAX_NOISE: f64 = 0.4;
/// Distances from rest between which a key that stands or creeps is pushed up, m. Deeper keys are held by fingers: a
/// drift passes through this range first.
const STRAYED: [f64; 2] = [0.3e-3, 3e-3];
/// Time between the marks of a creeping key, s.
const CREEP_TIME: f64 = 0.1;
/// Largest motion of a creeping key between marks, m.
const MAX_CREEP: f64 = 0.5e-3;
/// Number of marks of a creeping key: at most 5 mm/s for 0.2 s.
const CREEPS: u8 = 2;
/// Force on a key at rest, N, beyond which it is pushed down: a right key at rest is asleep, without force.
const PULLED: f64 = -0.05;
/// Duration of the push up, s, and motion within it that shows a finger, m: fingers of 3 kN/m give way by 0.15 mm.
const LIFT_TIME: f64 = 0.04;
/// See [`LIFT_TIME`].
const LIFTED: f64 = 60e-6;
/// Time constant in which a difference between position and measured speed is forgotten, s.
const APART_TIME: f64 = 0.1;
/// Largest such difference, m. Chosen: the stop on the key bed within 1 ms makes 0.3 mm.
const MAX_APART: f64 = 1e-3;
/// Longest interval that counts for it, s.
const APART_INTERVAL: f64 = 3e-3;

/// Report of one key, as the watch needs it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SensorReport {
    /// Depth, m.
    pub depth: f64,
    /// Time since the last report, s.
    pub time: f64,
    /// Step of the sensor, m.
    pub step: f64,
    /// Measured speed at the end, m/s; none without a sensor of it.
    pub speed: Option<f64>,
    /// Commanded force, N.
    pub force: f64,
    /// The key gets force.
    pub is_felt: bool,
    /// A key that stands near its rest may be pushed up: not on walls, which are measured by slow presses.
    pub may_lift: bool,
}

/// A push up of a key that stands near its rest.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Lift {
    /// Time since its beginning, s.
    time: f64,
    /// Depth at the beginning, m, and its rate before, m/s.
    from: f64,
    rate: f64,
}

/// Watch of one key's sensor.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SensorWatch {
    /// Last depths, m, newest first, and the last second difference, m.
    depths: [Option<f64>; 2],
    bend: f64,
    /// Last measured speed, m/s, and the motion by the speed beyond that by the position, m.
    speed: Option<f64>,
    apart: f64,
    /// Share of reports with noise.
    noise: f64,
    /// Depth of the last count, m, and the time under firm force since then, s.
    anchor: f64,
    still: f64,
    /// Time of the present nudge, s.
    nudge: Option<f64>,
    /// Depth at which the key has answered a nudge, m.
    answered: Option<f64>,
    /// Depth at the last mark, m, the time since, s, and the number of marks with little motion away from rest.
    mark: f64,
    marked: f64,
    creeps: u8,
    /// Impulse of the force since the last mark, N·s; the key has rested under a force down and has not gone down since.
    impulse: f64,
    is_resting: bool,
    /// Time above rest, s.
    above: f64,
    /// The present push up, and the time until the next one, s.
    lift: Option<Lift>,
    respite: f64,
    /// The force is limited, and why.
    remark: Option<Symptom>,
}

impl SensorWatch {
    /// The force is limited for this reason.
    pub(crate) const fn remark(&self) -> Option<Symptom> {
        self.remark
    }

    /// The position alternates as noise does.
    pub(crate) const fn is_noisy(&self) -> bool {
        self.noise > MAX_NOISE
    }

    /// Force of the simulated key, N, that a key may be given, of the `wanted` one: one that rests under a force down gets
    /// none.
    pub const fn above_rest(&self, wanted: f64) -> f64 {
        if self.is_resting { wanted.max(0.0) } else { wanted }
    }

    /// Begins anew.
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    /// Force to which the command is limited, N; infinite without a remark.
    pub fn limit(&self, mechanics: &KeyMechanics) -> f64 {
        if self.remark.is_some() { firm(mechanics) } else { f64::INFINITY }
    }

    /// Notes a report. Returns the force of a nudge, N, and the symptom of a broken sensor.
    pub fn note(
        &mut self,
        report: &SensorReport,
        mechanics: &KeyMechanics,
    ) -> (f64, Option<Symptom>) {
        let is_apart = self.note_speed(report);
        self.note_noise(report);
        if !report.is_felt {
            (self.still, self.nudge, self.remark) = (0.0, None, None);
            (self.creeps, self.lift, self.is_resting) = (0, None, false);
            return (0.0, None);
        }
        if is_apart {
            return (0.0, Some(Symptom::Speed));
        }
        if self.is_noisy() {
            return (0.0, Some(Symptom::Noise));
        }
        match self.note_rest(report, mechanics) {
            (0.0, None) => self.note_stillness(report, mechanics),
            lifted => lifted,
        }
    }

    /// Whether position and measured speed differ by more than a right sensor shows.
    fn note_speed(&mut self, report: &SensorReport) -> bool {
        let last = std::mem::replace(&mut self.speed, report.speed);
        if let (Some(before), Some(speed), Some(depth)) = (last, report.speed, self.depths[0])
            && report.time <= APART_INTERVAL
        {
            self.apart += 0.5 * (before + speed) * report.time - (report.depth - depth);
            self.apart *= 1.0 - report.time / APART_TIME;
        } else {
            self.apart = 0.0;
        }
        self.apart.abs() > MAX_APART
    }

    fn note_noise(&mut self, report: &SensorReport) {
        if let [Some(last), Some(before)] = self.depths {
            let bend = report.depth - 2.0 * last + before;
            let least = NOISE.max(NOISE_STEPS * report.step);
            let is_noise = bend.abs() > least && bend * self.bend < 0.0;
            let share = (report.time / NOISE_TIME).min(1.0);
            self.noise += share * (f64::from(u8::from(is_noise)) - self.noise);
            self.bend = bend;
        }
        self.depths = [Some(report.depth), self.depths[0]];
    }

    /// Pushes a key up that stands or creeps below rest. Returns the force, N, and the symptom where it does not give way or
    /// stands above rest.
    fn note_rest(
        &mut self,
        report: &SensorReport,
        mechanics: &KeyMechanics,
    ) -> (f64, Option<Symptom>) {
        self.marked += report.time;
        self.respite -= report.time;
        if let Some(lift) = &mut self.lift {
            lift.time += report.time;
            let motion = report.depth - (lift.from + lift.rate * lift.time);
            if motion.abs() > LIFTED.max(2.0 * report.step) {
                (self.lift, self.respite) = (None, RESPITE);
            } else if lift.time < LIFT_TIME {
                return (NUDGE_FORCE + mechanics.friction, None);
            } else {
                return (0.0, Some(Symptom::Drift));
            }
        }
        let [least, most] = STRAYED;
        self.is_resting &= report.depth < least;
        self.impulse += report.force * report.time;
        let is_above = report.depth <= -least && report.may_lift;
        self.above = if is_above { self.above + report.time } else { 0.0 };
        if self.above >= CREEP_TIME {
            return (0.0, Some(Symptom::Drift));
        }
        let motion = report.depth - self.mark;
        let is_slow = motion.abs() <= MAX_CREEP;
        if self.marked < CREEP_TIME && is_slow {
            return (0.0, None);
        }
        let is_pulled = self.impulse < PULLED * self.marked;
        self.is_resting |= is_slow && is_pulled && report.depth < least && report.may_lift;
        let is_below = (least..most).contains(&report.depth) && self.respite <= 0.0;
        let counts = is_slow && is_below && report.may_lift;
        self.creeps = if counts { self.creeps + 1 } else { 0 };
        if self.creeps >= CREEPS {
            let rate = motion / self.marked;
            (self.lift, self.creeps) = (Some(Lift { time: 0.0, from: report.depth, rate }), 0);
        }
        (self.mark, self.marked, self.impulse) = (report.depth, 0.0, 0.0);
        (0.0, None)
    }

    fn note_stillness(
        &mut self,
        report: &SensorReport,
        mechanics: &KeyMechanics,
    ) -> (f64, Option<Symptom>) {
        if (report.depth - self.anchor).abs() > 0.9 * report.step {
            if self.nudge.take().is_some() {
                self.answered = Some(report.depth);
            }
            let is_away = |at: f64| (report.depth - at).abs() > RESPITE_MOTION;
            if self.answered.is_some_and(is_away) {
                self.answered = None;
            }
            (self.anchor, self.still) = (report.depth, 0.0);
            if self.remark == Some(Symptom::Stuck) {
                self.remark = None;
            }
            return (0.0, None);
        }
        if let Some(time) = &mut self.nudge {
            *time += report.time;
            if *time < NUDGE_TIME {
                let force = NUDGE_FORCE + mechanics.friction;
                // Up first, so that a key in the air does not fall into the hand.
                let half = touchback_core::math::cast::count(*time / NUDGE_HALF);
                return (if half.is_multiple_of(2) { force } else { -force }, None);
            }
            (self.nudge, self.still) = (None, 0.0);
            if report.depth > mechanics.bed - NEAR_BED {
                self.remark = Some(Symptom::Stuck);
                return (0.0, None);
            }
            return (0.0, Some(Symptom::Stuck));
        }
        if report.force.abs() > firm(mechanics) && self.remark.is_none() {
            self.still += report.time;
        }
        if self.still >= if self.answered.is_some() { RESPITE } else { STILL_TIME } {
            self.nudge = Some(0.0);
        }
        (0.0, None)
    }
}

/// Force under which a key must move, N.
fn firm(mechanics: &KeyMechanics) -> f64 {
    mechanics.weight.abs() + mechanics.friction + FIRM
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::random::Random;

    const KEY: KeyMechanics =
        KeyMechanics { mass: 0.03, weight: 0.2, friction: 0.1, damping: 0.1, bed: 10e-3 };

    fn report(depth: f64, force: f64) -> SensorReport {
        let (speed, is_felt, may_lift) = (None, true, true);
        SensorReport { depth, time: 1e-3, step: 2e-6, speed, force, is_felt, may_lift }
    }

    /// Milliseconds until a symptom or a remark, and what it is.
    fn found(depth: impl Fn(u32) -> f64, force: f64) -> Option<(u32, Symptom)> {
        let mut watch = SensorWatch::default();
        (0..1000).find_map(|i| {
            let (nudge, symptom) = watch.note(&report(depth(i), force), &KEY);
            assert!(nudge.abs() <= 0.5 + 1e-9);
            symptom.or(watch.remark()).map(|symptom| (i, symptom))
        })
    }

    #[test]
    fn a_still_key_under_force_is_nudged_and_then_stuck() {
        let (ms, symptom) = found(|_| 6e-3, 2.0).unwrap();
        assert!(symptom == Symptom::Stuck && ms < 500, "{ms} ms");
        // On the bed the force is limited, and only while the key is still.
        let mut watch = SensorWatch::default();
        for _ in 0..500 {
            assert_eq!(watch.note(&report(10e-3, 3.0), &KEY).1, None);
        }
        assert!((watch.limit(&KEY) - 1.3).abs() < 1e-12);
        watch.note(&report(9.9e-3, 3.0), &KEY);
        assert_eq!(watch.limit(&KEY), f64::INFINITY);
        // A key that a nudge moves, and one under little force, are held by a finger.
        assert_eq!(found(|i| if i % 350 > 320 { 6.01e-3 } else { 6e-3 }, 2.0), None);
        assert_eq!(found(|_| 6e-3, 1.2), None);
    }

    #[test]
    fn noise_is_found_and_a_fast_trill_is_not_noise() {
        let random = std::cell::RefCell::new(Random::new(1));
        let noise = |_: u32| {
            let mut r = random.borrow_mut();
            // Twelve uniform numbers: a normal one of variance 1.
            20e-6 * ((0..12).map(|_| r.share()).sum::<f64>() - 6.0)
        };
        let (ms, symptom) = found(noise, 0.0).unwrap();
        assert!(symptom == Symptom::Noise && ms < 400, "{ms} ms");
        let trill = |i: u32| 5e-3 * (1.0 + (f64::from(i) * 1e-3 * 88.0).sin());
        assert_eq!(found(trill, 0.0), None);
    }

    /// A rest position that moves by 0.05 to 4 mm/s is found before it is 0.3 mm off and 0.4 s more; a key held by a finger
    /// that gives way to the push up is not, nor one that is deeper.
    #[test]
    fn a_rest_position_that_moves_is_a_drifting_sensor() {
        for rate in [0.05e-3f64, 0.3e-3, 1e-3, 4e-3] {
            let drift = |ms: u32| rate * f64::from(ms) * 1e-3;
            let mut watch = SensorWatch::default();
            let found =
                (0..10_000).find(|ms| watch.note(&report(drift(*ms), 0.5), &KEY).1.is_some());
            let depth = drift(found.unwrap()).abs();
            assert!((0.3e-3..0.3e-3 + 0.4 * rate.abs()).contains(&depth), "{rate}: {found:?}");
        }
        let mut watch = SensorWatch::default();
        let (mut depth, mut pushed) = (0.0, 0);
        for _ in 0..10_000 {
            // A finger of 3 kN/m that presses at 0.2 mm/s.
            let (force, symptom) = watch.note(&report(depth, 0.5), &KEY);
            assert_eq!(symptom, None);
            pushed += u32::from(force > 0.0);
            depth += 0.2e-6 - if force > 0.0 { 0.02 * force / 3e3 } else { 0.0 };
        }
        assert!((30..200).contains(&pushed), "{pushed} ms");
        // Upward: first without force down, then found; a key that is played again gets every force.
        let mut watch = SensorWatch::default();
        let at = (0..10_000).find(|ms| {
            watch.note(&report(-1e-6 * f64::from(*ms), -0.3), &KEY).1 == Some(Symptom::Drift)
        });
        assert!((390..=400).contains(&at.unwrap()), "{at:?}");
        assert_eq!((watch.above_rest(-0.3), watch.above_rest(0.3)), (0.0, 0.3));
        watch.note(&report(0.31e-3, 0.0), &KEY);
        assert_eq!(watch.above_rest(-0.3), -0.3);
        assert_eq!(found(|_| 5e-3, 0.5), None);
    }

    /// A position that stands still while the speed sensor shows a stroke is found within 1.5 mm of it; a stroke on
    /// the key bed is none.
    #[test]
    fn a_speed_that_the_position_does_not_show_is_a_broken_sensor() {
        let stroke = |ms: f64| 0.3e-3 * ms.min(30.0);
        let reach = |is_frozen: bool| {
            let mut watch = SensorWatch::default();
            (0..60u32).map(f64::from).find_map(|ms| {
                let depth = if is_frozen { 0.0 } else { stroke(ms) };
                let speed = Some((stroke(ms) - stroke(ms - 0.125)) * 8e3);
                let (_, symptom) = watch.note(&SensorReport { speed, ..report(depth, 0.5) }, &KEY);
                symptom.map(|symptom| (stroke(ms), symptom))
            })
        };
        assert_eq!(reach(false), None);
        let (depth, symptom) = reach(true).unwrap();
        assert!(symptom == Symptom::Speed && depth < 1.5e-3, "{depth} m");
    }
}
