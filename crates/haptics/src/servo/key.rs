//! One key of the servo: simulated key, checks of the reports, sleep, force limits.

mod judge;
mod junction;
mod rest;

use super::super::action::Action;
use super::super::log::{Entry, Log, damper_moved};
use super::super::slewed_key::SlewedKey;
use super::command_path::CommandPath;
use super::energy_watch::{EnergyReport, EnergyWatch};
use super::line_check::LineCheck;
use super::plausibility::{LeakyCount, is_jump};
use super::probe_push::{ProbePush, PushReport};
use super::sensor_watch::SensorWatch;
use super::settling::Settling;
use super::slot::{Join, Slot};
use super::string_vibration::StringVibration;
use super::virtual_finger::{KeyMechanics, SlotMotion, VirtualFinger};
use super::{ServoOptions, seconds};
use crate::symptom::Symptom;
pub use judge::WaitReason;
use junction::{COUPLE, FOLLOW};
use touchback_action::interface::key::{DynamicsCompensation, Key};
use touchback_action::{ActionSettings, TimedEvent};
use touchback_core::math::compass::KeyNumber;
use touchback_device::device::limit::Motor;
use touchback_device::fixed::{i16_of, since, u8_of};
use touchback_device::message::{FORCE, IMPEDANCE, KeyState, KeyWave, POSITION, WAVE};

/// Motion that wakes a key, m.
const WAKE_MOTION: f64 = 30e-6;
/// Wave that wakes a key, √W: more than the remainder of the last answer.
const WAKE_WAVE: f64 = 0.05;

/// Longest wait for the impedance to rise, s, and the sufficient share of it. Through a smaller impedance
/// a mechanism that is held down would fly up.
const JOINING: (f64, f64) = (0.25, 0.95);
/// Largest force on a key with implausible waves, N.
const DOUBTED_FORCE: f64 = 1.0;
/// Constant force against the rest that proves the wave integral, N: through it a wrong integral cannot act.
const PROOF_FORCE: f64 = 0.5;
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

/// One key of the servo.
#[derive(Clone, Debug)]
pub struct HapticKey {
    key: KeyNumber,
    simulated: SlewedKey,
    compensation: DynamicsCompensation,
    /// Mass, weight and friction that could not be deducted.
    pub uncompensated: DynamicsCompensation,
    mechanics: KeyMechanics,
    /// The finger that host notes move, and whether it plays according to the log.
    virtual_finger: VirtualFinger,
    is_logged_played: bool,
    /// Last report: position m, wave integral, step.
    last: Option<(f64, i32, u64)>,
    /// Implausible jumps of the position.
    jumps: LeakyCount,
    line: LineCheck,
    path: CommandPath,
    /// Time of the last report, µs of the keyboard's clock.
    last_us: u32,
    push: ProbePush,
    /// The key has been played since its motor was proven; time at rest, s.
    is_played_since: bool,
    rested: f64,
    /// First command of the present push.
    push_seq: Option<u16>,
    energy: EnergyWatch,
    sensor: SensorWatch,
    /// Work of the virtual finger in the last slot, J, and force of the string vibration, N.
    finger_work: f64,
    vibration: f64,
    /// Force of the present nudge, N.
    nudge: f64,
    /// Time for which the key has waited for force in a live session, s, and why.
    waited: f64,
    waits: Option<WaitReason>,
    /// The simulated key has not followed the keyboard's: the next report may begin a ramp.
    is_unfollowed: bool,
    /// Remaining time to wait for the impedance to rise, s.
    joining: f64,
    settling: Option<Settling>,
    strings: StringVibration,
    is_awake: bool,
    /// Reported depth at which the key fell asleep, m; friction may hold the physical key there.
    slept: f64,
    /// Slots without motion near rest.
    quiet: u32,
    /// Depth of the simulated key at its last motion, m.
    anchor: f64,
    /// Slots in which simulated and reported key were slower than `SLOW`.
    slow_slots: u32,
    /// The log has the state of the simulated key, so that a twin can follow.
    is_placed: bool,
    /// The damper is off the string, as last logged.
    is_clear: bool,
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
            simulated: SlewedKey::new(simulated),
            compensation: *compensation,
            uncompensated,
            mechanics,
            virtual_finger: VirtualFinger::default(),
            is_logged_played: false,
            last: None,
            jumps: LeakyCount::default(),
            line: LineCheck::new(old.is_some_and(|old| old.line.is_proven())),
            path: old.map(|old| old.path.clone()).unwrap_or_default(),
            last_us: 0,
            push: ProbePush::new(old.is_some_and(|old| old.push.is_proven())),
            is_played_since: false,
            rested: 0.0,
            push_seq: None,
            energy: EnergyWatch::default(),
            sensor: SensorWatch::default(),
            finger_work: 0.0,
            vibration: 0.0,
            nudge: 0.0,
            waited: 0.0,
            waits: None,
            is_unfollowed: true,
            joining: JOINING.0,
            settling: None,
            strings: StringVibration::default(),
            is_awake: false,
            slept: 0.0,
            quiet: 0,
            anchor: 0.0,
            slow_slots: 0,
            is_placed: false,
            is_clear: old.is_some_and(|old| old.is_clear),
            motor: Motor::default(),
            force: 0.0,
            limited: 0,
            upset: 0,
        }
    }

    /// Restarts the settings, with another `action` where one is given. Allocates then.
    pub fn renew(&mut self, action: Option<Action>, settings: &ActionSettings) {
        if let Some(action) = action {
            let (simulated, uncompensated) = action.key(self.key, settings, &self.compensation);
            (self.simulated, self.uncompensated) = (SlewedKey::new(simulated), uncompensated);
        }
        self.simulated.forget();
        self.is_placed = false;
    }

    /// Sets the commanded force to 0 and interrupts push, vibration and virtual finger.
    pub fn cut(&mut self) {
        (self.force, self.nudge) = (0.0, 0.0);
        self.energy.restart();
        self.push.interrupt();
        self.strings.end();
        self.motor.cut();
        self.virtual_finger.let_go();
    }

    /// The key of the piano.
    pub const fn number(&self) -> KeyNumber {
        self.key
    }

    /// A host note presses the key at a fingertip speed of `speed`, m/s, or releases it at 0.
    pub fn note(&mut self, speed: f64) {
        let depth = self.last.map_or(0.0, |(x, ..)| x);
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
    pub fn unreported(&self, number: u8, options: &ServoOptions) -> Option<KeyState> {
        let (x, wave_sum, _) = self.last.filter(|_| self.virtual_finger.presses())?;
        let impedance = u8_of(options.impedance(), IMPEDANCE);
        let x = i16_of(x, POSITION);
        Some(KeyState { key: number, x, wave_sum, impedance, ..KeyState::default() })
    }

    /// Ends force where the reports cannot be followed; the next report begins anew.
    pub fn lose(&mut self) {
        self.last = None;
        self.line.pause();
        self.path.lose();
        self.sensor.restart();
        (self.is_unfollowed, self.settling, self.slept) = (true, None, 0.0);
        self.joining = JOINING.0;
        self.is_placed = false;
        self.cut();
    }

    /// Push and wave integral have shown that the key does as commanded; a keyboard without a junction has no
    /// integral.
    pub const fn is_proven(&self, has_junction: bool) -> bool {
        self.push.is_proven() && (!has_junction || self.line.is_proven())
    }

    /// Demands a new probe push and a new proof of the integral.
    pub fn distrust(&mut self) {
        self.push = ProbePush::new(false);
        self.line = LineCheck::new(false);
    }

    /// The keyboard has been cleared: no command acts.
    pub fn clear(&mut self) {
        self.path.clear();
        self.line.pause();
    }

    /// A probe push is under way.
    pub const fn is_pushed(&self) -> bool {
        self.push.is_pushing()
    }

    /// The simulated key is being computed.
    pub const fn is_awake(&self) -> bool {
        self.is_awake
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
        let impedance = if self.push.is_proven() { options.impedance() } else { 0.0 };
        let wave = KeyWave {
            key: number,
            force: i16_of(self.force, FORCE),
            impedance: u8_of(impedance, IMPEDANCE),
        };
        if self.push.take_new() {
            self.push_seq = Some(seq);
        }
        self.path.send(seq, &wave);
        wave
    }

    /// Checks a report, moves the simulated key through the slot and computes the force to command. Returns
    /// the symptom where implausible reports were too many.
    pub fn slot(
        &mut self,
        slot: &Slot,
        options: &ServoOptions,
        log: &mut impl Log,
    ) -> Option<Symptom> {
        let (x, time) = (slot.depth(), slot.time());
        let sum = slot.report.wave_sum;
        if slot.steps() == 0 && self.last.is_some() {
            return None;
        }
        let from_us = if slot.is_repeated {
            self.last_us
        } else {
            std::mem::replace(&mut self.last_us, slot.time_us)
        };
        let (was, old, then) = self.last.replace((x, sum, slot.after))?;
        let span = seconds(slot.after - then).max(time);
        let is_jump = is_jump(x - was, span);
        let symptom = self.jumps.note(is_jump).then_some(Symptom::Position);
        if is_jump {
            self.lose();
            self.last = Some((x, sum, slot.after));
            return symptom;
        }
        if std::mem::take(&mut self.is_unfollowed) {
            let from = self.simulated.key().front()[0];
            self.settling = Settling::new(from, x);
        }
        // The growth of the integral since the last report, however long ago, goes into this slot, so
        // that no motion is lost.
        let mut change = f64::from(sum.wrapping_sub(old)) * WAVE;
        let mut symptom = None;
        if !slot.is_repeated {
            (change, symptom) = self.judge(slot, from_us, x - was, change, span, options);
        }
        self.prove_again(slot, x);
        if slot.is_live && !self.push.is_proven() {
            let acting = self.push_seq.and_then(|seq| slot.times.first_acting(seq));
            let after = |time: u32| f64::from(since(time, slot.time_us)) * 1e-6;
            let began = acting.and_then(|acting| {
                acting.latest.map(|latest| [after(acting.earliest), after(latest)])
            });
            let report = PushReport {
                depth: x,
                motion: x - was,
                time: span,
                began,
                step: slot.sensor_step,
                may_begin: slot.may_push && self.settling.is_none(),
            };
            let (force, wrong) = self.push.update(&report, &self.mechanics);
            self.force = force;
            symptom = symptom.or(wrong);
        } else if slot.is_live && !self.is_proven(slot.has_junction) {
            // A constant force, whatever the integral says, while the impedance rises.
            self.force = PROOF_FORCE;
        }
        self.note_waiting(slot, x - was, x);
        if let Some(settling) = &mut self.settling {
            if settling.run(&mut self.simulated, slot, x) {
                self.settling = None;
                (self.is_awake, self.is_placed, self.quiet) = (true, false, 0);
            }
            return symptom;
        }
        // Where more keys move than a state holds, the slot of a key covers all steps since its last
        // report.
        let before = if self.is_awake && self.is_placed { then } else { slot.before };
        let slot = Slot { before, ..*slot };
        let worked = self.simulated.work();
        (self.finger_work, self.vibration) = (0.0, 0.0);
        self.follow(&slot, options, was, change / slot.time(), log);
        if slot.is_live && self.is_proven(slot.has_junction) && slot.join != Join::Followed {
            let is_created = self.energy.note(&EnergyReport {
                motion: x - was,
                force: f64::from(slot.report.force) * FORCE,
                line_work: self.simulated.work() - worked - self.finger_work,
                added: -(self.vibration + self.nudge) * (x - was),
                time: span,
            });
            symptom = symptom.or(is_created.then_some(Symptom::Energy));
        }
        symptom
    }

    /// Moves the simulated key through the slot under the mean `wave`, √W, and computes the force to
    /// command. `was` is the reported depth at the beginning, m.
    fn follow(
        &mut self,
        slot: &Slot,
        options: &ServoOptions,
        was: f64,
        wave: f64,
        log: &mut impl Log,
    ) {
        let (x, time) = (slot.depth(), slot.time());
        // An unproven key is followed without force.
        let is_proven = self.is_proven(slot.has_junction);
        if let Join::Wave(z) = slot.join
            && is_proven
        {
            let is_enough = z >= JOINING.1 * options.impedance();
            self.joining = if is_enough { 0.0 } else { self.joining - time };
        }
        let join = if slot.is_live && !is_proven { Join::Followed } else { slot.join };
        if join == Join::Followed {
            self.virtual_finger.let_go();
        }
        let force = f64::from(slot.report.force) * FORCE;
        self.virtual_finger.observe(&SlotMotion { from: was, to: x, force, time }, &self.mechanics);
        if !self.is_awake {
            let rest = self.simulated.key().front()[0];
            let is_still = (x - rest).abs().min((x - self.slept).abs()) < WAKE_MOTION;
            if !self.virtual_finger.presses() && is_still && wave.abs() < WAKE_WAVE {
                self.force = if is_proven { 0.0 } else { self.force };
                return;
            }
            self.is_awake = true;
            self.quiet = 0;
            self.is_placed = false;
            if self.simulated.apply(slot.settings, slot.before) {
                // The regulation has moved the rest position.
                self.simulated.reset_to_rest();
            }
        }
        if !self.is_placed {
            let (key, compensation, saved) =
                (self.key, self.compensation, self.simulated.key().save());
            self.is_placed = log.put(&Entry::Place { step: slot.before, key, compensation, saved });
            if self.is_placed
                && let Some(event) = damper_moved(&mut self.is_clear, self.simulated.key())
            {
                log.on_event(&TimedEvent { key, step: slot.before, offset: 0.0, event });
            }
        }
        let is_played = self.virtual_finger.plays();
        if is_played != self.is_logged_played {
            let entry = Entry::Played { step: slot.before, key: self.key, is_played };
            self.is_logged_played = is_played == log.put(&entry);
        }
        let (depth, limit) = (self.simulated.key().front()[0], options.play_force);
        let finger = self.virtual_finger.force(depth, self.mechanics.bed, time, limit);
        let wanted = match join {
            Join::Wave(z) if self.joining > 0.0 => {
                let share = (z / options.impedance()).min(1.0);
                share * self.by_coupling(slot, was, FOLLOW, finger, log)
            }
            Join::Wave(z) => self.by_wave(slot, z, wave, finger, log),
            Join::Coupled => self.by_coupling(slot, was, COUPLE, finger, log),
            Join::Followed => {
                self.by_coupling(slot, was, FOLLOW, 0.0, log);
                0.0
            }
        };
        if !is_proven {
            // The force of the probe push stays.
            return self.sleep_if_at_rest(wave, x);
        }
        let vibration = if options.vibrates && join != Join::Followed {
            self.strings.force(self.key, self.mechanics.mass, slot.steps())
        } else {
            self.strings.end();
            0.0
        };
        self.vibration = vibration;
        let mut wanted = (wanted + vibration) * options.gain + self.nudge;
        if self.line.is_doubted() {
            wanted = wanted.clamp(-DOUBTED_FORCE, DOUBTED_FORCE);
        }
        let limit = self.sensor.limit(&self.mechanics);
        wanted = wanted.clamp(-limit, limit);
        let (force, limited) = self.motor.apply(&options.limits, wanted, time);
        self.force = force;
        self.limited += u64::from(limited.clamped || limited.hot);
        if !self.simulated.key().save().is_finite() {
            self.upset += 1;
            self.fall_asleep();
            return;
        }
        if !is_played {
            self.align(x, (x - was) / time);
        }
        self.sleep_if_at_rest(wave, x);
    }
}
