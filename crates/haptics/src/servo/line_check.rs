//! Check of one key's line: the wave integral against motion and commands, the reported force against both.
//!
//! Between two reports the integral must grow by √(2Z)·Δx + ∫f dt/√(2Z), √W·s; f, N, is the commanded force
//! through the keyboard's filter, known from `CommandPath` to within one tick. The reported force must be
//! Z·v + f. Both are compared over a window of 8 ms, so that a small error of the scale is found, and the wave
//! also over every report. A wave that does not fit is replaced by the nearest one that does and counted as
//! implausible. A key gets force only after its wave integral has been proven: until then it is commanded a
//! constant force, through which a wrong integral cannot act.

use touchback_device::message::IMPEDANCE;

use super::command_path::{Played, Range};
use super::plausibility::LeakyCount;
use crate::keyboard::symptom::Symptom;

/// Number of reports in the window, and its length, s: 8 ms at 1 kHz.
const REPORTS: usize = 32;
/// See [`REPORTS`].
const WINDOW: f64 = 7.5e-3;

/// A tolerance with an absolute and a relative part.
struct Tolerance {
    /// √W·s.
    absolute: f64,
    /// Per √W·s of the growth of the integral.
    relative: f64,
}

impl Tolerance {
    /// The tolerance for a growth of `size`, √W·s.
    fn of(&self, size: f64) -> f64 {
        self.absolute + self.relative * size
    }
}

/// Tolerance of one report, relative to the parts of motion and force. The absolute part is ten units of rounding of
/// position and integral at 25 N·s/m; the relative ones are chosen: two thirds of an error of the scale of 10 % remain
/// above that of the window.
const REPORT_SLACK: Tolerance = Tolerance { absolute: 40e-6, relative: 0.1 };
/// See [`REPORT_SLACK`].
const WINDOW_SLACK: Tolerance = Tolerance { absolute: 20e-6, relative: 0.03 };
/// Sum of the waves that prove the integral, √W·s: 0.5 N at 25 N·s/m give it in 14 ms.
const PROOF_WAVE: f64 = 1e-3;
/// Largest relative error of that sum.
const PROOF_ERROR: f64 = 0.05;
/// Largest error of the reported force in the proof, as a share: its values are samples.
const FORCE_ERROR: f64 = 0.3;
/// Largest width of the expected growth, relative to the wave, with which a report counts for the proof.
const EXACT: Tolerance = Tolerance { absolute: 5e-6, relative: 0.02 };
/// Impedance, N·s/m, that may remain of the safe damping, whatever was commanded.
const SAFE_DAMPING_MAX: f64 = 5.0;
/// Impedance from which waves are checked, N·s/m: below it rounding of the impedance is a large share of it, and
/// no wave is used yet.
const LEAST_IMPEDANCE: f64 = 1.0;
/// Largest difference between reported and expected impedance, N·s/m: rounding, and two ticks of the slew.
const IMPEDANCE_SLACK: f64 = 1.0;

/// Report of one key, as the check of its line needs it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LineReport {
    /// Motion since the last report, m.
    pub motion: f64,
    /// Growth of the wave integral, √W·s.
    pub wave: f64,
    /// Reported impedance, N·s/m.
    pub impedance: f64,
    /// Time since the last report, s.
    pub time: f64,
    /// Force and impedance by the commands.
    pub played: Played,
    /// Reported force, N, against downward motion; none where a sensor measures it.
    pub force: Option<f64>,
    /// Step of the sensor, m.
    pub sensor_step: f64,
    /// The energy guard may have reduced the wave.
    pub is_guarded: bool,
}

/// Growth of the integral by the law.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Expected {
    /// Time, s.
    time: f64,
    /// Reported growth less the largest and the least one by the law, √W·s.
    residual: Range,
    /// Sum of the magnitudes of the parts of motion and force, √W·s.
    size: f64,
    /// Growth by the law, √W·s.
    wave: f64,
}

/// Sums of the reports that count for the proof.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Proof {
    /// Waves, and their errors, √W·s.
    wave: f64,
    error: f64,
    /// Force by the law, N·s, and error of the reported force, N·s.
    force: f64,
    force_error: f64,
}

impl Proof {
    const NONE: Self = Self { wave: 0.0, error: 0.0, force: 0.0, force_error: 0.0 };
}

/// Check of one key's line.
#[derive(Clone, Debug)]
pub struct LineCheck {
    /// Impedance of the last report, N·s/m; none where the key was not live.
    last: Option<f64>,
    /// Force of the last report, N.
    force: Option<f64>,
    window: [Expected; REPORTS],
    next: usize,
    waves: LeakyCount,
    impedances: LeakyCount,
    proof: Proof,
    is_proven: bool,
}

impl LineCheck {
    /// A check whose integral `is_proven` already.
    pub const fn new(is_proven: bool) -> Self {
        const NONE: Expected = Expected { time: 0.0, residual: [0.0; 2], size: 0.0, wave: 0.0 };
        Self {
            last: None,
            window: [NONE; REPORTS],
            next: 0,
            waves: LeakyCount::NONE,
            impedances: LeakyCount::NONE,
            proof: Proof::NONE,
            force: None,
            is_proven,
        }
    }

    /// The wave integral has the scale of the law.
    pub const fn is_proven(&self) -> bool {
        self.is_proven
    }

    /// Recent waves were implausible.
    pub(crate) const fn is_doubted(&self) -> bool {
        self.waves.is_raised()
    }

    /// Interrupts the check while the keyboard gives no force.
    pub fn pause(&mut self) {
        (self.last, self.force) = (None, None);
        self.window.fill(Expected::default());
    }

    /// A report after a pause begins the check.
    pub(crate) const fn is_paused(&self) -> bool {
        self.last.is_none()
    }

    /// Returns the plausible growth of the integral, √W·s, and the symptom where implausible reports are
    /// too many.
    pub fn check(&mut self, report: &LineReport) -> (f64, Option<Symptom>) {
        let now = report.impedance;
        let [low, high] = report.played.impedance;
        let (low, high) = (low - IMPEDANCE_SLACK, high + IMPEDANCE_SLACK);
        let Some(was) = self.last.replace(now) else {
            // Before its first live report a key has at most the safe damping.
            let is_high = now > SAFE_DAMPING_MAX.max(high);
            let symptom = self.impedances.note(is_high).then_some(Symptom::Impedance);
            return (report.wave, symptom);
        };
        if self.impedances.note(!(low..=high).contains(&now)) {
            return (0.0, Some(Symptom::Impedance));
        }
        if was.min(now) < LEAST_IMPEDANCE {
            return (report.wave, None);
        }
        let expected = expected(report, was);
        let slack = REPORT_SLACK.of(expected.size);
        let [least, most] = [-slack, slack];
        let is_outside = expected.residual[0] > most || expected.residual[1] < least;
        // A report that is outside counts by itself and not in the window.
        let residual = if is_outside { [0.0; 2] } else { expected.residual };
        self.window[self.next] = Expected { residual, ..expected };
        self.next = (self.next + 1) % REPORTS;
        let is_too_often = self.waves.note(is_outside || self.is_window_outside());
        // While the impedance is small, its own check cannot tell yet.
        let [low, high] = report.played.impedance;
        let is_odd = now < 0.85 * low - 0.5 * IMPEDANCE || now > 1.15 * high + 0.5 * IMPEDANCE;
        let found = if is_odd { Symptom::Impedance } else { Symptom::Wave };
        let mut symptom = is_too_often.then_some(found);
        if !self.is_proven {
            symptom = symptom.or(self.prove(&expected, report));
        }
        let wave = if expected.residual[0] > most {
            report.wave - expected.residual[0] + most
        } else if expected.residual[1] < least {
            report.wave - expected.residual[1] + least
        } else {
            report.wave
        };
        (wave, symptom)
    }

    /// The sum over the last 8 ms does not fit the law.
    fn is_window_outside(&self) -> bool {
        let mut sum = Expected::default();
        for back in 1..=REPORTS {
            let entry = &self.window[(self.next + REPORTS - back) % REPORTS];
            sum.time += entry.time;
            sum.size += entry.size;
            sum.residual =
                [sum.residual[0] + entry.residual[0], sum.residual[1] + entry.residual[1]];
            if sum.time >= WINDOW {
                break;
            }
        }
        let slack = WINDOW_SLACK.of(sum.size);
        sum.residual[0] > slack || sum.residual[1] < -slack
    }

    /// Adds a report to the proof of the scales of integral and force.
    fn prove(&mut self, expected: &Expected, report: &LineReport) -> Option<Symptom> {
        let force = std::mem::replace(&mut self.force, report.force);
        let width = expected.residual[1] - expected.residual[0];
        if width > EXACT.of(expected.wave.abs()) {
            return None;
        }
        let proof = &mut self.proof;
        proof.wave += expected.wave.abs();
        proof.error += 0.5 * (expected.residual[0] + expected.residual[1]) * expected.wave.signum();
        if let (Some(before), Some(now)) = (force, report.force) {
            let [low, high] = report.played.impulse;
            let (commanded, damped) = (0.5 * (low + high), report.impedance * report.motion);
            proof.force += commanded.abs() + damped.abs();
            proof.force_error += 0.5 * (before + now) * report.time - commanded - damped;
        }
        if proof.wave < PROOF_WAVE {
            return None;
        }
        let is_wave_wrong = proof.error.abs() > PROOF_ERROR * proof.wave;
        let is_force_wrong = proof.force_error.abs() > FORCE_ERROR * proof.force;
        self.proof = Proof::NONE;
        self.is_proven = !is_wave_wrong && !is_force_wrong;
        match (is_wave_wrong, is_force_wrong) {
            (true, _) => Some(Symptom::Wave),
            (_, true) => Some(Symptom::Force),
            _ => None,
        }
    }
}

/// Products of two ranges of positive factors and any values.
fn product(factor: Range, value: Range) -> Range {
    let all =
        [factor[0] * value[0], factor[0] * value[1], factor[1] * value[0], factor[1] * value[1]];
    [
        all.iter().copied().fold(f64::INFINITY, f64::min),
        all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    ]
}

/// Growth of the integral by the law, where the impedance of the last report was `was`, N·s/m.
fn expected(report: &LineReport, was: f64) -> Expected {
    let now = report.impedance;
    // A steady impedance is reported as commanded; a rising one is rounded.
    let [least, most] = report.played.impedance;
    let is_steady = was == now && (least - now).abs() < 1e-6 && (most - now).abs() < 1e-6;
    let half = if is_steady { 0.0 } else { 0.5 * IMPEDANCE };
    let low = (2.0 * (was.min(now) - half).max(0.5 * IMPEDANCE)).sqrt();
    let high = (2.0 * (was.max(now) + half)).sqrt();
    let motion = product([low, high], [report.motion; 2]);
    let force = product([1.0 / high, 1.0 / low], report.played.impulse);
    let (mut most, mut least) = (motion[1] + force[1], motion[0] + force[0]);
    let size = motion[0].abs().max(motion[1].abs()) + force[0].abs().max(force[1].abs());
    if report.is_guarded {
        // The guard reduces the waves of single ticks, those of one sign more than those of the other.
        let margin = 2.0 * high * report.sensor_step;
        most = motion[1].max(0.0) + force[1].max(0.0) + margin;
        least = motion[0].min(0.0) + force[0].min(0.0) - margin;
    }
    let wave = 0.5 * (motion[0] + motion[1] + force[0] + force[1]);
    Expected { time: report.time, residual: [report.wave - most, report.wave - least], size, wave }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report of 1 ms at 25 N·s/m.
    fn report(motion: f64, force: f64, wave: f64) -> LineReport {
        let played = Played { impulse: [force * 1e-3; 2], force: [force; 2], impedance: [25.0; 2] };
        LineReport {
            motion,
            wave,
            impedance: 25.0,
            time: 1e-3,
            played,
            force: None,
            sensor_step: 2e-6,
            is_guarded: false,
        }
    }

    fn law(motion: f64, force: f64) -> f64 {
        50f64.sqrt() * motion + force * 1e-3 / 50f64.sqrt()
    }

    /// The wave of the law is plausible and proves the integral. Another scale is found within 25 reports of
    /// 0.5 N, another sign or unit in the third report.
    #[test]
    fn only_a_wave_that_fits_the_law_is_plausible() {
        let run = |scale: f64| {
            let mut line = LineCheck::new(false);
            (0..40).find_map(|i| {
                let wave = scale * law(0.0, 0.5);
                let (used, symptom) = line.check(&report(0.0, 0.5, wave));
                assert!((scale - 1.0).abs() > 0.01 || used == wave);
                (symptom.is_some() || line.is_proven()).then_some((i, symptom))
            })
        };
        assert_eq!(run(1.0).unwrap().1, None);
        assert_eq!(run(1.02).unwrap().1, None);
        for scale in [0.5, 0.9, 1.1, 1.3, 2.0] {
            let (after, symptom) = run(scale).unwrap();
            assert!(symptom == Some(Symptom::Wave) && after < 25, "{scale}: {after}");
        }
        for scale in [-1.0, 1000.0] {
            assert_eq!(run(scale), Some((3, Some(Symptom::Wave))), "{scale}");
        }
    }

    /// In motion an error of 10 % is found within 12 ms.
    #[test]
    fn an_error_of_the_scale_is_found_in_motion() {
        for scale in [0.9, 1.1] {
            let mut line = LineCheck::new(true);
            let found =
                (0..12).find_map(|_| line.check(&report(0.1e-3, 2.0, scale * law(0.1e-3, 2.0))).1);
            assert_eq!(found, Some(Symptom::Wave), "{scale}");
        }
    }

    #[test]
    fn another_impedance_than_the_commanded_one_is_implausible() {
        for impedance in [12.5, 50.0] {
            let mut line = LineCheck::new(true);
            let wrong = LineReport { impedance, ..report(0.0, 0.0, 0.0) };
            let found = (0..5).find_map(|_| line.check(&wrong).1);
            assert_eq!(found, Some(Symptom::Impedance), "{impedance}");
        }
    }

    /// The guard reduces waves; it never makes them larger.
    #[test]
    fn a_guarded_wave_is_at_most_that_of_the_law() {
        for (scale, is_plausible) in [(0.3, true), (1.0, true), (1.2, false), (-0.3, false)] {
            let mut line = LineCheck::new(true);
            let wave = scale * law(0.2e-3, 3.0);
            let guarded = LineReport { is_guarded: true, ..report(0.2e-3, 3.0, wave) };
            let found = (0..20).find_map(|_| line.check(&guarded).1);
            assert_eq!(found.is_none(), is_plausible, "{scale}");
        }
    }
}
