//! Judgement of one key's reports: wave, impedance and force against the commands, what a sensor can show, and why a
//! key still waits for force.

use super::super::line_check::LineReport;
use super::super::sensor_watch::SensorReport;
use super::super::slot::{Join, Slot};
use super::{HapticKey, ServoOptions};
use crate::action::Action;
use crate::symptom::Symptom;
use touchback_device::message::FORCE;

/// Largest motion between reports of a key whose position counts as still, m.
const STILL_MOTION: f64 = 5e-6;
/// Depth within which a key counts as at rest, m, as for the probe push.
const AT_REST: f64 = 0.3e-3;

/// Why a key without force waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaitReason {
    /// The key stands still, not within 0.3 mm of rest: it is at this depth, 10 µm.
    NotAtRest(i32),
    /// The position is never still.
    Noisy,
    /// The key moves.
    Moving,
    /// The push or the proof of the wave integral is under way.
    Proving,
}

impl HapticKey {
    /// How long the key has waited for force in a live session, s, and why; none for a key with force.
    pub fn waits(&self) -> Option<(f64, WaitReason)> {
        self.waits.map(|reason| (self.waited, reason))
    }

    /// The force on the key is limited because of its sensor.
    pub const fn remark(&self) -> Option<Symptom> {
        self.sensor.remark()
    }

    /// Checks a report against the commands, the law and what a sensor can show. Returns the plausible growth of
    /// the wave integral, √W·s, of the reported `change`, and the symptom where implausible reports were too
    /// many.
    pub(super) fn judge(
        &mut self,
        slot: &Slot,
        from_us: u32,
        motion: f64,
        change: f64,
        span: f64,
        options: &ServoOptions,
    ) -> (f64, Option<Symptom>) {
        let (mut change, mut symptom) = (change, None);
        let is_felt = slot.is_live && self.is_proven(slot.has_junction);
        let interval = [from_us, slot.time_us];
        if let Join::Wave(impedance) = slot.join {
            if self.line.is_paused() {
                self.path.resume(impedance);
            }
            let played = self.path.advance(slot.times, interval, slot.tick, options.report_us);
            let report = LineReport {
                motion,
                wave: change,
                impedance,
                time: span,
                played,
                force: (!slot.has_force_sensor).then(|| f64::from(slot.report.force) * FORCE),
                sensor_step: slot.sensor_step,
                is_guarded: slot.is_guarded,
            };
            (change, symptom) = self.line.check(&report);
        } else {
            self.line.pause();
            if slot.has_junction {
                let _ = self.path.advance(slot.times, interval, slot.tick, options.report_us);
            }
        }
        let report = SensorReport {
            depth: slot.depth(),
            time: span,
            step: slot.sensor_step,
            speed: slot.speed(),
            force: self.force,
            is_felt,
            limits_creep: matches!(options.action, Action::Played(_)),
        };
        let (nudge, broken) = self.sensor.note(&report, &self.mechanics);
        self.nudge = nudge;
        (change, symptom.or(broken))
    }

    /// Notes why a key of a live session has no force.
    pub(super) fn note_waiting(&mut self, slot: &Slot, motion: f64, depth: f64) {
        if !slot.is_live || self.is_proven(slot.has_junction) {
            (self.waited, self.waits) = (0.0, None);
            return;
        }
        self.waited += slot.time();
        let is_still = motion.abs() <= STILL_MOTION.max(2.0 * slot.sensor_step);
        self.waits = Some(if self.sensor.is_noisy() {
            WaitReason::Noisy
        } else if self.push.is_pushing() || self.push.is_proven() {
            WaitReason::Proving
        } else if depth.abs() >= AT_REST {
            WaitReason::NotAtRest(touchback_core::math::cast::rounded_i32(depth / 10e-6))
        } else if is_still {
            WaitReason::Proving
        } else {
            WaitReason::Moving
        });
    }
}
