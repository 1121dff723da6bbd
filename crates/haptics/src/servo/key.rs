//! One key of the servo: simulated key, checks of the reports, sleep, force limits.

mod joining;
mod junction;
mod logged;
mod proof;
mod rest;

use super::coupling::{FOLLOW, Outlook};
use super::plausibility::is_jump;
use super::slot::{Join, Slot};
use super::string_vibration::StringVibration;
use super::virtual_finger::{KeyMechanics, SlotMotion, VirtualFinger};
use super::{ServoOptions, seconds};
use crate::action::Action;
use crate::keyboard::symptom::Symptom;
use crate::record::log::Log;
use crate::slewed_key::SlewedKey;
use joining::Joining;
use logged::Logged;
pub use proof::WaitReason;
use proof::{Interval, Proof};
use rest::Rest;
use touchback_action::ActionSettings;
use touchback_action::interface::key::{DynamicsCompensation, Key};
use touchback_core::math::compass::KeyNumber;
use touchback_device::device::limit::Motor;
use touchback_device::fixed::{i16_of, u8_of};
use touchback_device::message::{FORCE, IMPEDANCE, KeyState, KeyWave, POSITION, WAVE};

/// Longest slot, action steps, through whose like the real key's motion is predicted: beyond it little of it is known.
const MOST_STEPS_AHEAD: u64 = 16;

/// State of a key for display and tests.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HapticKeyView {
    /// Depth of the simulated key's front, m.
    pub depth: f64,
    /// Speed of the front, m/s.
    pub speed: f64,
    /// Commanded force, N, positive against downward motion.
    pub force: f64,
    /// Work of line and virtual finger on the simulated key since the beginning, J.
    pub work: f64,
    /// Energy that changes of regulation have given the simulated key, J.
    pub turned: f64,
}

/// A report of the key's position.
#[derive(Clone, Copy, Debug)]
struct Report {
    /// Depth, m.
    depth: f64,
    /// Wave integral, units of [`WAVE`].
    wave_sum: i32,
    /// Steps begun by then.
    step: u64,
}

/// One key of the servo.
#[derive(Clone, Debug)]
pub struct HapticKey {
    key: KeyNumber,
    simulated: SlewedKey,
    compensation: DynamicsCompensation,
    /// Mass, weight and friction that could not be deducted.
    pub uncompensated: DynamicsCompensation,
    mechanics: KeyMechanics,
    /// The finger that host notes move.
    virtual_finger: VirtualFinger,
    last: Option<Report>,
    proof: Proof,
    joining: Joining,
    rest: Rest,
    logged: Logged,
    strings: StringVibration,
    /// Filtered answer of the simulated key, N.
    answer: f64,
    outlook: Outlook,
    /// Work of the virtual finger in the last slot, J.
    finger_work: f64,
    /// Force of the string vibration in the last slot, N.
    vibration: f64,
    motor: Motor,
    /// Force to be commanded, N.
    force: f64,
    /// Number of commands that the limits changed.
    pub limited: u64,
    /// Number of times that the simulated state became non-finite.
    pub upset: u64,
}

impl HapticKey {
    /// A key of `action` at rest. It replaces an `old` one, whose proof and logged damper it keeps.
    /// Allocates.
    pub fn new(
        key: KeyNumber,
        compensation: &DynamicsCompensation,
        mechanics: KeyMechanics,
        action: Action,
        settings: &ActionSettings,
        old: Option<&Self>,
    ) -> Self {
        let (simulated, uncompensated) = action.key(key, settings, compensation);
        Self {
            key,
            simulated: SlewedKey::new(key, simulated),
            compensation: *compensation,
            uncompensated,
            mechanics,
            virtual_finger: VirtualFinger::default(),
            last: None,
            proof: Proof::new(old.map(|old| &old.proof)),
            joining: Joining::default(),
            rest: Rest::default(),
            logged: Logged::new(old.map(|old| &old.logged)),
            strings: StringVibration::default(),
            answer: 0.0,
            outlook: Outlook::default(),
            finger_work: 0.0,
            vibration: 0.0,
            motor: Motor::default(),
            force: 0.0,
            limited: 0,
            upset: 0,
        }
    }

    /// Restarts the settings, with another `action` where one is given. Allocates then.
    pub(crate) fn renew(&mut self, action: Option<Action>, settings: &ActionSettings) {
        if let Some(action) = action {
            let (simulated, uncompensated) = action.key(self.key, settings, &self.compensation);
            self.simulated = SlewedKey::new(self.key, simulated);
            self.uncompensated = uncompensated;
        }
        self.simulated.forget();
        self.logged.displace();
    }

    /// Sets the commanded force to 0 and interrupts push, vibration and virtual finger.
    pub fn cut(&mut self) {
        (self.force, self.answer) = (0.0, 0.0);
        self.proof.cut();
        self.strings.end();
        self.motor.cut();
        self.outlook.restart();
        self.virtual_finger.let_go();
    }

    /// The key of the piano.
    pub const fn number(&self) -> KeyNumber {
        self.key
    }

    /// A host note presses the key at a fingertip speed of `speed`, m/s, or releases it at 0.
    pub fn note(&mut self, speed: f64) {
        let depth = self.last.map_or(0.0, |report| report.depth);
        self.virtual_finger.note(speed, depth);
    }

    /// A host note moves the key.
    pub const fn is_played(&self) -> bool {
        self.virtual_finger.plays()
    }

    /// Number of times that the virtual finger released the key to a player's finger.
    pub const fn yields(&self) -> u64 {
        self.virtual_finger.yields
    }

    /// The last report, for a slot without one: a key that a host note presses has to be simulated before
    /// it moves and is reported.
    pub(crate) fn unreported(&self, number: u8, options: &ServoOptions) -> Option<KeyState> {
        let Report { depth, wave_sum, .. } = self.last.filter(|_| self.virtual_finger.presses())?;
        let impedance = u8_of(options.impedance(), IMPEDANCE);
        let x = i16_of(depth, POSITION);
        Some(KeyState { key: number, x, wave_sum, impedance, ..KeyState::default() })
    }

    /// Ends force where the reports cannot be followed; the next report begins anew.
    pub fn lose(&mut self) {
        self.last = None;
        self.proof.lose();
        self.joining = Joining::default();
        self.rest.lose();
        self.logged.displace();
        self.cut();
    }

    /// Push and wave integral have shown that the key does as commanded; a keyboard without a junction has no
    /// integral.
    pub const fn is_proven(&self, has_junction: bool) -> bool {
        self.proof.is_complete(has_junction)
    }

    /// Demands a new probe push and a new proof of the integral.
    pub fn distrust(&mut self) {
        self.proof.distrust();
    }

    /// The keyboard has been cleared: no command acts.
    pub fn clear(&mut self) {
        self.proof.clear();
    }

    /// A probe push is under way.
    pub(crate) const fn is_pushed(&self) -> bool {
        self.proof.is_pushing()
    }

    /// How long the key has waited for force in a live session, s, and why; none for a key with force.
    pub fn waits(&self) -> Option<(f64, WaitReason)> {
        self.proof.waits()
    }

    /// The force on the key is limited because of its sensor.
    pub(crate) const fn remark(&self) -> Option<Symptom> {
        self.proof.remark()
    }

    /// The simulated key is being computed.
    pub const fn is_awake(&self) -> bool {
        self.rest.is_awake()
    }

    /// State of the key.
    pub fn view(&self) -> HapticKeyView {
        let [depth, speed] = self.simulated.key().front();
        let turned = self.simulated.turned();
        HapticKeyView { depth, speed, force: self.force, work: self.simulated.work(), turned }
    }

    /// The simulated key.
    pub fn simulated(&self) -> &dyn Key {
        self.simulated.key()
    }

    /// The command `seq` for the key, which is `number` on the keyboard. Notes it for the check of the reports.
    pub fn command(&mut self, number: u8, seq: u16, options: &ServoOptions) -> KeyWave {
        self.proof.command(number, seq, self.force, options)
    }

    /// Checks a report, moves the simulated key through the slot and computes the force to command. Returns
    /// the symptom where implausible reports were too many.
    pub fn slot(
        &mut self,
        slot: &Slot,
        options: &ServoOptions,
        log: &mut impl Log,
    ) -> Option<Symptom> {
        if slot.steps() == 0 && self.last.is_some() {
            return None;
        }
        let now = Report { depth: slot.depth(), wave_sum: slot.report.wave_sum, step: slot.after };
        let from_us = self.proof.note_time(slot);
        let before = self.last.replace(now)?;
        // The growth of the integral since the last report, however long ago, goes into this slot, so
        // that no motion is lost.
        let mut interval = Interval {
            from: before.depth,
            motion: now.depth - before.depth,
            wave: f64::from(now.wave_sum.wrapping_sub(before.wave_sum)) * WAVE,
            time: seconds(slot.after - before.step).max(slot.time()),
            from_us,
        };
        let is_jump = is_jump(interval.motion, interval.time);
        let mut symptom = self.proof.note_jump(is_jump);
        if is_jump {
            self.lose();
            self.last = Some(now);
            return symptom;
        }
        self.joining.follow(&self.simulated, now.depth);
        if !slot.is_repeated {
            (interval.wave, symptom) =
                self.proof.judge(slot, &interval, self.force, &self.mechanics, options);
        }
        if self.proof.prove_again(slot, now.depth, self.rest.is_awake()) {
            self.joining.wait_again();
        }
        let may_begin = slot.may_push && !self.joining.is_settling();
        if let Some((force, wrong)) = self.proof.prove(slot, &interval, may_begin, &self.mechanics)
        {
            self.force = force;
            symptom = symptom.or(wrong);
        }
        self.proof.note_waiting(slot, interval.motion);
        if self.joining.is_settling() {
            if self.joining.settle(&mut self.simulated, slot) {
                self.rest.wake();
                self.logged.displace();
            }
            return symptom;
        }
        // Where more keys move than a state holds, the slot of a key covers all steps since its last
        // report.
        let is_followed = self.rest.is_awake() && self.logged.is_placed();
        let slot = Slot { before: if is_followed { before.step } else { slot.before }, ..*slot };
        let worked = self.simulated.work();
        (self.finger_work, self.vibration) = (0.0, 0.0);
        self.follow(&slot, options, &interval, log);
        let line_work = self.simulated.work() - worked - self.finger_work;
        // While the key is joined, a coupling moves it, which may create energy.
        if self.joining.is_waiting() {
            return symptom;
        }
        symptom.or(self.proof.check_energy(&slot, &interval, line_work, self.vibration))
    }

    /// Moves the simulated key through the slot and computes the force to command.
    fn follow(
        &mut self,
        slot: &Slot,
        options: &ServoOptions,
        interval: &Interval,
        log: &mut impl Log,
    ) {
        let (x, time, was) = (slot.depth(), slot.time(), interval.from);
        // Mean, √W.
        let wave = interval.wave / time;
        // An unproven key is followed without force.
        let is_proven = self.is_proven(slot.has_junction);
        if let Join::Wave(z) = slot.join
            && is_proven
        {
            self.joining.note_impedance(z, options.impedance(), time);
        }
        let join = if slot.is_live && !is_proven { Join::Followed } else { slot.join };
        if join == Join::Followed {
            self.virtual_finger.let_go();
        }
        let force = f64::from(slot.report.force) * FORCE;
        self.virtual_finger.observe(&SlotMotion { from: was, to: x, force, time }, &self.mechanics);
        if !self.rest.is_awake() {
            let rest = self.simulated.key().front()[0];
            if !self.virtual_finger.presses() && self.rest.is_still(x, rest, wave) {
                self.force = if is_proven { 0.0 } else { self.force };
                return;
            }
            self.rest.wake();
            self.logged.displace();
            if self.simulated.apply(slot.settings, slot.before) {
                // The regulation has moved the rest position.
                self.simulated.reset_to_rest();
            }
        }
        let simulated = self.simulated.key();
        let is_placed =
            self.logged.place(slot.before, self.key, &self.compensation, simulated, log);
        let is_played = self.virtual_finger.plays();
        if self.logged.played(slot.before, self.key, is_played, log) || is_placed {
            log.on_slot(self.key, slot.before..slot.before, simulated);
        }
        let (depth, limit) = (self.simulated.key().front()[0], options.play_force);
        let finger = self.virtual_finger.force(depth, self.mechanics.bed, time, limit);
        let wanted = match join {
            Join::Wave(z) if self.joining.is_waiting() => {
                let share = (z / options.impedance()).min(1.0);
                share * self.by_coupling(slot, was, FOLLOW, finger, log)
            }
            Join::Wave(z) => {
                let wanted = self.by_wave(slot, z, wave, finger, log);
                let share = options.answer_share(time, self.mechanics.mass);
                (1.0 - share) * self.answer + share * wanted
            }
            Join::Coupled
                if options.coupling.is_compensated
                    && is_proven
                    && slot.steps() <= MOST_STEPS_AHEAD =>
            {
                let known = [finger, options.gain];
                self.by_coupling_ahead(slot, was, options.coupling, known, options.lead(), log)
            }
            Join::Coupled => self.by_coupling(slot, was, options.coupling, finger, log),
            Join::Followed => {
                self.by_coupling(slot, was, FOLLOW, 0.0, log);
                0.0
            }
        };
        // A host note may press a key that rests.
        let wanted = if is_played { wanted } else { self.proof.above_rest(wanted) };
        self.answer = wanted;
        if !is_proven {
            // The force of the probe push stays.
            return self.sleep_if_at_rest(wave, x);
        }
        if options.vibrates && join != Join::Followed {
            self.vibration = self.strings.force(self.key, self.mechanics.mass, slot.steps());
        } else {
            self.strings.end();
        }
        let wanted = self.proof.limit((wanted + self.vibration) * options.gain, &self.mechanics);
        let (force, limited) = self.motor.apply(&options.limits, wanted, time);
        self.force = force;
        self.outlook.command(slot.after + options.lead(), force);
        self.limited += u64::from(limited.clamped || limited.hot);
        if !self.simulated.key().save().is_finite() {
            self.upset += 1;
            self.fall_asleep();
            return;
        }
        if !is_played && self.rest.align(&mut self.simulated, x, interval.motion / time) {
            // The log gets the state before the next slot.
            self.logged.displace();
        }
        self.sleep_if_at_rest(wave, x);
    }

    /// Falls asleep after a while without motion near rest.
    fn sleep_if_at_rest(&mut self, wave: f64, x: f64) {
        let (key, is_played) = (self.simulated.key(), self.virtual_finger.plays());
        if self.rest.falls_asleep(key, wave, x, is_played) {
            self.fall_asleep();
        }
    }

    /// Puts the simulated key to rest and ends its force.
    fn fall_asleep(&mut self) {
        self.simulated.reset_to_rest();
        self.rest.sleep();
        self.logged.displace();
        self.cut();
    }
}
