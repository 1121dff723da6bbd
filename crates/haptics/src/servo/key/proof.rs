//! Proof of one key's motor and line, and checks of its reports: wave, impedance and force against the commands, what a
//! sensor can show, created energy; why a key still waits for force.

use super::super::command_path::CommandPath;
use super::super::energy_watch::{EnergyReport, EnergyWatch};
use super::super::line_check::{LineCheck, LineReport};
use super::super::plausibility::LeakyCount;
use super::super::probe_push::{ProbePush, PushReport};
use super::super::sensor_watch::{SensorReport, SensorWatch};
use super::super::slot::{Join, Slot};
use super::super::virtual_finger::KeyMechanics;
use super::ServoOptions;
use crate::action::Action;
use crate::keyboard::symptom::Symptom;
use touchback_device::fixed::{i16_of, since, u8_of};
use touchback_device::message::{FORCE, IMPEDANCE, KeyWave};

/// Largest motion between reports of a key whose position counts as still, m.
const STILL_MOTION: f64 = 5e-6;
/// Depth within which a key counts as at rest, m, as for the probe push.
const AT_REST: f64 = 0.3e-3;
/// Depth that counts as a stroke, m.
const STROKE: f64 = 1e-3;
/// Time at rest after a stroke until the motor is proven again, s; chosen: longer than the pauses of a piece that a
/// hand plays on the same key, because the key has no force for 0.1 s then.
const PROOF_PAUSE: f64 = 5.0;
/// Largest force on a key with implausible waves, N.
const DOUBTED_FORCE: f64 = 1.0;
/// Constant force against the rest that proves the wave integral, N: through it a wrong integral cannot act.
const PROOF_FORCE: f64 = 0.5;

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

/// A key's motion between its last two reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    /// Depth at the beginning, m.
    pub(super) from: f64,
    /// Motion, m.
    pub(super) motion: f64,
    /// Growth of the wave integral, √W·s.
    pub(super) wave: f64,
    /// Time, s.
    pub(super) time: f64,
    /// Time of the first report, µs of the keyboard's clock.
    pub(super) from_us: u32,
}

/// Checks of one key.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    /// Implausible jumps of the position.
    jumps: LeakyCount,
    line: LineCheck,
    path: CommandPath,
    push: ProbePush,
    /// First command of the present push.
    push_seq: Option<u16>,
    sensor: SensorWatch,
    energy: EnergyWatch,
    /// Force of the present nudge, N.
    nudge: f64,
    /// Time of the last report, µs of the keyboard's clock.
    last_us: u32,
    /// The key has been played since its motor was proven.
    is_played_since: bool,
    /// Time at rest, s.
    rested: f64,
    /// Time for which the key has waited for force in a live session, s, and why.
    waited: f64,
    waits: Option<WaitReason>,
}

impl Proof {
    /// Checks of a key that replaces one with the checks `old`, whose proof it keeps. Allocates.
    pub(super) fn new(old: Option<&Self>) -> Self {
        Self {
            jumps: LeakyCount::default(),
            line: LineCheck::new(old.is_some_and(|old| old.line.is_proven())),
            path: old.map(|old| old.path.clone()).unwrap_or_default(),
            push: ProbePush::new(old.is_some_and(|old| old.push.is_proven())),
            push_seq: None,
            sensor: SensorWatch::default(),
            energy: EnergyWatch::default(),
            nudge: 0.0,
            last_us: 0,
            is_played_since: false,
            rested: 0.0,
            waited: 0.0,
            waits: None,
        }
    }

    /// Push and wave integral have shown that the key does as commanded; a keyboard without a junction has no
    /// integral.
    pub(super) const fn is_complete(&self, has_junction: bool) -> bool {
        self.push.is_proven() && (!has_junction || self.line.is_proven())
    }

    /// Demands a new probe push and a new proof of the integral.
    pub(super) fn distrust(&mut self) {
        self.push = ProbePush::new(false);
        self.line = LineCheck::new(false);
    }

    /// The keyboard has been cleared: no command acts.
    pub(super) fn clear(&mut self) {
        self.path.clear();
        self.line.pause();
    }

    /// The reports cannot be followed.
    pub(super) fn lose(&mut self) {
        self.line.pause();
        self.path.lose();
        self.sensor.restart();
    }

    /// The commanded force becomes 0.
    pub(super) const fn cut(&mut self) {
        self.nudge = 0.0;
        self.energy.restart();
        self.push.interrupt();
    }

    /// A probe push is under way.
    pub(super) const fn is_pushing(&self) -> bool {
        self.push.is_pushing()
    }

    /// How long the key has waited for force in a live session, s, and why; none for a key with force.
    pub(super) fn waits(&self) -> Option<(f64, WaitReason)> {
        self.waits.map(|reason| (self.waited, reason))
    }

    /// The force on the key is limited because of its sensor.
    pub(super) const fn remark(&self) -> Option<Symptom> {
        self.sensor.remark()
    }

    /// The command `seq` of `force`, N, for the key, which is `number` on the keyboard. Notes it for the check of
    /// the reports.
    pub(super) fn command(
        &mut self,
        number: u8,
        seq: u16,
        force: f64,
        options: &ServoOptions,
    ) -> KeyWave {
        let impedance = if self.push.is_proven() { options.impedance() } else { 0.0 };
        let wave = KeyWave {
            key: number,
            force: i16_of(force, FORCE),
            impedance: u8_of(impedance, IMPEDANCE),
        };
        if self.push.take_new() {
            self.push_seq = Some(seq);
        }
        self.path.send(seq, &wave);
        wave
    }

    /// Notes the time of a report. Returns that of the report before, µs of the keyboard's clock.
    pub(super) const fn note_time(&mut self, slot: &Slot) -> u32 {
        if slot.is_repeated {
            self.last_us
        } else {
            std::mem::replace(&mut self.last_us, slot.time_us)
        }
    }

    /// Counts a report. Returns the symptom where positions that jump are too many.
    pub(super) fn note_jump(&mut self, is_jump: bool) -> Option<Symptom> {
        self.jumps.note(is_jump).then_some(Symptom::Position)
    }

    /// Checks a report against the commands, the law and what a sensor can show, under the commanded `force`, N.
    /// Returns the plausible growth of the wave integral, √W·s, and the symptom where implausible reports were too
    /// many.
    pub(super) fn judge(
        &mut self,
        slot: &Slot,
        interval: &Interval,
        force: f64,
        mechanics: &KeyMechanics,
        options: &ServoOptions,
    ) -> (f64, Option<Symptom>) {
        let (mut wave, mut symptom) = (interval.wave, None);
        let is_felt = slot.is_live && self.is_complete(slot.has_junction);
        let span_us = [interval.from_us, slot.time_us];
        if let Join::Wave(impedance) = slot.join {
            if self.line.is_paused() {
                self.path.resume(impedance);
            }
            let played = self.path.advance(slot.times, span_us, slot.tick, options.report_us);
            let report = LineReport {
                motion: interval.motion,
                wave,
                impedance,
                time: interval.time,
                played,
                force: (!slot.has_force_sensor).then(|| f64::from(slot.report.force) * FORCE),
                sensor_step: slot.sensor_step,
                is_guarded: slot.is_guarded,
            };
            (wave, symptom) = self.line.check(&report);
        } else {
            self.line.pause();
            if slot.has_junction {
                let _ = self.path.advance(slot.times, span_us, slot.tick, options.report_us);
            }
        }
        let report = SensorReport {
            depth: slot.depth(),
            time: interval.time,
            step: slot.sensor_step,
            speed: slot.speed(),
            force,
            is_felt,
            may_lift: matches!(options.action, Action::Played(_)),
        };
        let (nudge, broken) = self.sensor.note(&report, mechanics);
        self.nudge = nudge;
        (wave, symptom.or(broken))
    }

    /// Begins another proof of the motor of a key that has been played and rests. Returns whether it does.
    pub(super) fn prove_again(&mut self, slot: &Slot, depth: f64, is_awake: bool) -> bool {
        if !slot.is_live || !self.is_complete(slot.has_junction) || slot.is_repeated {
            self.rested = 0.0;
            return false;
        }
        if depth > STROKE || self.push.is_doubted() {
            self.is_played_since = true;
        }
        if is_awake || !slot.may_push {
            self.rested = 0.0;
            return false;
        }
        self.rested += slot.time();
        let begins = self.is_played_since && self.rested > PROOF_PAUSE;
        if begins {
            self.push.renew();
            (self.is_played_since, self.rested) = (false, 0.0);
        }
        begins
    }

    /// The force to command to a key that is not proven in a live session, N, and the symptom that its push has
    /// shown; a push begins only where it `may_begin`. None for any other key.
    pub(super) fn prove(
        &mut self,
        slot: &Slot,
        interval: &Interval,
        may_begin: bool,
        mechanics: &KeyMechanics,
    ) -> Option<(f64, Option<Symptom>)> {
        if !slot.is_live || self.is_complete(slot.has_junction) {
            return None;
        }
        if self.push.is_proven() {
            // A constant force, whatever the integral says, while the impedance rises.
            return Some((PROOF_FORCE, None));
        }
        let acting = self.push_seq.and_then(|seq| slot.times.first_acting(seq));
        let after = |time: u32| f64::from(since(time, slot.time_us)) * 1e-6;
        let began = acting
            .and_then(|acting| acting.latest.map(|latest| [after(acting.earliest), after(latest)]));
        let report = PushReport {
            depth: slot.depth(),
            motion: interval.motion,
            time: interval.time,
            began,
            step: slot.sensor_step,
            may_begin,
        };
        Some(self.push.update(&report, mechanics))
    }

    /// Notes why a key of a live session has no force.
    pub(super) fn note_waiting(&mut self, slot: &Slot, motion: f64) {
        if !slot.is_live || self.is_complete(slot.has_junction) {
            (self.waited, self.waits) = (0.0, None);
            return;
        }
        self.waited += slot.time();
        let depth = slot.depth();
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

    /// Checks the energy of an interval in which the line did `line_work`, J, on the simulated key, under
    /// `vibration`, N. Returns the symptom where energy was created.
    pub(super) fn check_energy(
        &mut self,
        slot: &Slot,
        interval: &Interval,
        line_work: f64,
        vibration: f64,
    ) -> Option<Symptom> {
        if !slot.is_live || !self.is_complete(slot.has_junction) || slot.join == Join::Followed {
            return None;
        }
        let is_created = self.energy.note(&EnergyReport {
            motion: interval.motion,
            force: f64::from(slot.report.force) * FORCE,
            line_work,
            added: -(vibration + self.nudge) * interval.motion,
            time: interval.time,
        });
        is_created.then_some(Symptom::Energy)
    }

    /// Force of the simulated key, N, that the key may be given, of the `wanted` one.
    pub(super) const fn above_rest(&self, wanted: f64) -> f64 {
        self.sensor.above_rest(wanted)
    }

    /// The `wanted` force, N, with the nudge, and limited where reports are in doubt.
    pub(super) fn limit(&self, wanted: f64, mechanics: &KeyMechanics) -> f64 {
        let mut wanted = wanted + self.nudge;
        if self.line.is_doubted() {
            wanted = wanted.clamp(-DOUBTED_FORCE, DOUBTED_FORCE);
        }
        let limit = self.sensor.limit(mechanics);
        wanted.clamp(-limit, limit)
    }
}
