//! One felt key of the servo: the simulated key, its sleep and its limits.

mod junction;

use super::super::action::Action;
use super::super::log::{Entry, Log, damper_moved};
use super::super::slewed_key::SlewedKey;
use super::plausibility::{LeakyCount, LineCheck, LineReport, is_jump};
use super::probe_push::{ProbePush, PushReport};
use super::settling::Settling;
use super::slot::{Join, Slot};
use super::string_vibration::StringVibration;
use super::virtual_finger::{KeyMechanics, SlotMotion, VirtualFinger};
use super::{ServoOptions, seconds};
use crate::symptom::Symptom;
use junction::{COUPLE, FOLLOW};
use touchback_action::interface::key::{DynamicsCompensation, Key};
use touchback_action::{ActionSettings, TimedEvent};
use touchback_core::math::compass::KeyNumber;
use touchback_device::device::limit::Motor;
use touchback_device::fixed::{i16_of, u8_of};
use touchback_device::message::{FORCE, IMPEDANCE, KeyState, KeyWave, POSITION, WAVE};

/// Motion that wakes a key, m.
const WAKE_WAY: f64 = 30e-6;
/// Wave that wakes a key, √W: more than what is left of the last answer.
const WAKE_WAVE: f64 = 0.05;
/// Slots without motion near rest after which a key sleeps.
const STILL_SLOTS: u32 = 100;
/// Wave, √W, that the steps of an encoder and their echoes make.
const STILL_WAVE: f64 = 0.1;
/// Speed of any of its parts, m/s and rad/s, below which it stands: more than an encoder's steps
/// cause at the end of a line.
const STILL_SPEED: f64 = 0.1;
/// How near, m.
const NEAR_REST: f64 = 0.2e-3;

/// Longest wait for the impedance to rise, s, and the share of it that is enough. Through a lesser one
/// a mechanism that is held down would fly up.
const JOINING: (f64, f64) = (0.25, 0.95);
/// Largest force on a key whose waves did not all fit, N.
const DOUBTED: f64 = 1.0;

/// What a felt key shows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HapticKeyView {
    /// Depth of its front, m.
    pub depth: f64,
    /// Its speed, m/s.
    pub speed: f64,
    /// Force commanded, N.
    pub force: f64,
    /// Work taken from the line so far, J.
    pub work: f64,
    /// Work of the turning screws on it so far, J.
    pub turned: f64,
}

/// One key.
#[derive(Clone, Debug)]
pub struct HapticKey {
    key: KeyNumber,
    simulated: SlewedKey,
    compensation: DynamicsCompensation,
    /// What could not be deducted.
    pub uncompensated: DynamicsCompensation,
    own: KeyMechanics,
    /// The finger that host notes move, and whether the log knows that it plays.
    virtual_finger: VirtualFinger,
    is_told_played: bool,
    /// Last report: position m, wave integral, step.
    last: Option<(f64, i32, u64)>,
    /// Positions that no key can have reached.
    jumps: LeakyCount,
    line: LineCheck,
    push: ProbePush,
    /// It has not been followed: the next report says where it is.
    is_strange: bool,
    /// Time left in which the rising impedance is waited for, s.
    joining: f64,
    settling: Option<Settling>,
    strings: StringVibration,
    is_awake: bool,
    /// Depth at which it fell asleep, friction holding the keyboard's own key, m.
    slept: f64,
    quiet: u32,
    /// Depth it has not moved from since it was last quiet, m.
    anchor: f64,
    /// The log has its state.
    is_placed: bool,
    /// Its damper is off the string, as last told.
    is_clear: bool,
    motor: Motor,
    /// Force to be commanded, N.
    force: f64,
    /// Work taken from the line, J: Σ ½(ū² − w²)T.
    work: f64,
    /// Commands limited here.
    pub limited: u64,
    /// Times its state became non-finite.
    pub upset: u64,
}

impl HapticKey {
    /// One of `action`, at rest, in place of an `old` one, what was shown and told of which still holds.
    /// Allocates.
    pub fn new(
        key: KeyNumber,
        compensation: &DynamicsCompensation,
        own: KeyMechanics,
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
            own,
            virtual_finger: VirtualFinger::default(),
            is_told_played: false,
            last: None,
            jumps: LeakyCount::default(),
            line: LineCheck::default(),
            push: ProbePush::new(old.is_some_and(Self::is_proven)),
            is_strange: true,
            joining: JOINING.0,
            settling: None,
            strings: StringVibration::default(),
            is_awake: false,
            slept: 0.0,
            quiet: 0,
            anchor: 0.0,
            is_placed: false,
            is_clear: old.is_some_and(|old| old.is_clear),
            motor: Motor::default(),
            force: 0.0,
            work: 0.0,
            limited: 0,
            upset: 0,
        }
    }

    /// The settings have begun anew, with another `action` where there is one. Allocates then.
    pub fn renew(&mut self, action: Option<Action>, settings: &ActionSettings) {
        if let Some(action) = action {
            let (simulated, uncompensated) = action.key(self.key, settings, &self.compensation);
            (self.simulated, self.uncompensated) = (SlewedKey::new(simulated), uncompensated);
        }
        self.simulated.forget();
        self.is_placed = false;
    }

    /// No force until told otherwise.
    pub fn cut(&mut self) {
        self.force = 0.0;
        self.push.interrupt();
        self.strings.end();
        self.motor.cut();
        self.virtual_finger.let_go();
    }

    /// The piano key it is.
    pub const fn number(&self) -> KeyNumber {
        self.key
    }

    /// A host note presses it, at `speed` m/s of the fingertip, or lets it up, at 0.
    pub fn note(&mut self, speed: f64) {
        let depth = self.last.map_or(0.0, |(x, ..)| x);
        self.virtual_finger.note(speed, depth);
    }

    /// A host note moves it.
    pub const fn is_played(&self) -> bool {
        self.virtual_finger.plays()
    }

    /// Times the virtual_finger let it go for a finger.
    pub const fn yields(&self) -> u64 {
        self.virtual_finger.yields
    }

    /// Its last report again, for a slot without one: a played key has to be computed before it
    /// moves.
    pub fn unreported(&self, number: u8, options: &ServoOptions) -> Option<KeyState> {
        let (x, wave_sum, _) = self.last.filter(|_| self.virtual_finger.presses())?;
        let impedance = u8_of(options.impedance(), IMPEDANCE);
        Some(KeyState { key: number, x: i16_of(x, POSITION), wave_sum, force: 0, impedance })
    }

    /// The keyboard's clock or integral cannot be followed: begin anew with the next report.
    pub fn lose(&mut self) {
        self.last = None;
        self.line.pause();
        (self.is_strange, self.settling, self.slept) = (true, None, 0.0);
        self.joining = JOINING.0;
        self.is_placed = false;
        self.cut();
    }

    /// It has shown that its motor moves it as commanded.
    pub const fn is_proven(&self) -> bool {
        self.push.is_proven()
    }

    /// It has to show that again.
    pub const fn distrust(&mut self) {
        self.push = ProbePush::new(false);
    }

    /// It is being pushed to show it.
    pub const fn is_pushed(&self) -> bool {
        self.push.is_pushing()
    }

    /// It is being computed.
    pub const fn is_awake(&self) -> bool {
        self.is_awake
    }

    /// What it shows.
    pub fn view(&self) -> HapticKeyView {
        let [depth, speed] = self.simulated.key().front();
        let turned = self.simulated.turned();
        HapticKeyView { depth, speed, force: self.force, work: self.work, turned }
    }

    /// What is felt.
    pub fn simulated(&self) -> &dyn Key {
        self.simulated.key()
    }

    /// The record of a command for the key called `number` by the keyboard.
    pub fn command(&mut self, number: u8, step: u64, options: &ServoOptions) -> KeyWave {
        let impedance = if self.push.is_proven() { options.impedance() } else { 0.0 };
        self.line.sent(step, self.force, impedance);
        KeyWave {
            key: number,
            force: i16_of(self.force, FORCE),
            impedance: u8_of(impedance, IMPEDANCE),
        }
    }

    /// Takes a report: moves the simulated key through the slot and finds the answer; what cannot be
    /// as reported, where that was so too often.
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
        let (was, old, then) = self.last.replace((x, sum, slot.after))?;
        let span = seconds(slot.after - then).max(time);
        let jumps = is_jump(x - was, span);
        let symptom = self.jumps.note(jumps).then_some(Symptom::Position);
        if jumps {
            self.lose();
            self.last = Some((x, sum, slot.after));
            return symptom;
        }
        if std::mem::take(&mut self.is_strange) {
            let from = self.simulated.key().front()[0];
            self.settling = Settling::new(from, x);
        }
        // The whole integral goes into the slot's steps: nothing of the motion is lost, whenever
        // the key was last reported.
        let mut change = f64::from(sum.wrapping_sub(old)) * WAVE;
        let mut symptom = None;
        if let Join::Wave(impedance) = slot.join {
            let report = LineReport {
                way: x - was,
                wave: change,
                impedance,
                time: span,
                step: slot.after,
                lead: slot.lead,
                sensor_step: slot.sensor_step,
                is_guarded: slot.is_guarded,
            };
            (change, symptom) = self.line.check(&report);
        } else {
            self.line.pause();
        }
        if slot.is_live && !self.push.is_proven() {
            let report = PushReport {
                depth: x,
                way: x - was,
                time: span,
                lead: seconds(slot.lead),
                step: slot.sensor_step,
                may_begin: slot.may_push && self.settling.is_none(),
            };
            let (force, wrong) = self.push.look(&report, &self.own);
            self.force = force;
            symptom = symptom.or(wrong);
        }
        if let Some(settling) = &mut self.settling {
            if settling.run(&mut self.simulated, slot, x) {
                self.settling = None;
                (self.is_awake, self.is_placed, self.quiet) = (true, false, 0);
            }
            return symptom;
        }
        // Where more keys move than a state holds, the slots of a key that was left out are made up
        // for: what came over all of them goes into all of them.
        let before = if self.is_awake && self.is_placed { then } else { slot.before };
        let slot = Slot { before, ..*slot };
        self.follow(&slot, options, was, change / slot.time(), log);
        symptom
    }

    /// Moves the simulated key through the slot under the `wave`, √W, the keyboard's having been at
    /// `was` m, and finds the answer.
    fn follow(
        &mut self,
        slot: &Slot,
        options: &ServoOptions,
        was: f64,
        wave: f64,
        log: &mut impl Log,
    ) {
        let (x, time) = (slot.depth(), slot.time());
        // A key that has not shown that its motor is right is followed without force.
        let is_proven = self.push.is_proven();
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
        self.virtual_finger.look(&SlotMotion { from: was, to: x, force, time }, &self.own);
        if !self.is_awake {
            let rest = self.simulated.key().front()[0];
            let is_still = (x - rest).abs().min((x - self.slept).abs()) < WAKE_WAY;
            if !self.virtual_finger.presses() && is_still && wave.abs() < WAKE_WAVE {
                self.force = if is_proven { 0.0 } else { self.force };
                return;
            }
            self.is_awake = true;
            self.quiet = 0;
            self.is_placed = false;
            if self.simulated.take_up(slot.settings, slot.before) {
                // It rests where the screws have left it.
                self.simulated.key_mut().reset_to_rest();
            }
        }
        if !self.is_placed {
            let (key, compensation, saved) =
                (self.key, self.compensation, self.simulated.key().save());
            self.is_placed = log.put(&Entry::Place { step: slot.before, key, compensation, saved });
            if self.is_placed
                && let Some(event) = damper_moved(&mut self.is_clear, self.simulated.key())
            {
                log.heard(&TimedEvent { key, step: slot.before, offset: 0.0, event });
            }
        }
        let is_played = self.virtual_finger.plays();
        if is_played != self.is_told_played {
            let entry = Entry::Played { step: slot.before, key: self.key, is_played };
            self.is_told_played = is_played == log.put(&entry);
        }
        let (depth, limit) = (self.simulated.key().front()[0], options.play_force);
        let finger = self.virtual_finger.force(depth, self.own.bed, time, limit);
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
            // The push's force, if any.
            return self.rest_if_still(wave, x);
        }
        let shaken = if options.vibrates && join != Join::Followed {
            self.strings.force(self.key, self.own.mass, slot.steps())
        } else {
            self.strings.end();
            0.0
        };
        let mut wanted = (wanted + shaken) * options.gain;
        if self.line.is_doubted() {
            wanted = wanted.clamp(-DOUBTED, DOUBTED);
        }
        let (force, limited) = self.motor.apply(&options.limits, wanted, time);
        self.force = force;
        self.limited += u64::from(limited.clamped || limited.hot);
        if !self.simulated.key().save().is_finite() {
            self.upset += 1;
            self.fall_asleep();
            return;
        }
        self.rest_if_still(wave, x);
    }

    fn rest_if_still(&mut self, wave: f64, x: f64) {
        let [depth, _] = self.simulated.key().front();
        let is_near = depth.abs() < NEAR_REST && x.abs() < NEAR_REST;
        let has_moved = (depth - self.anchor).abs() > WAKE_WAY;
        if !is_near
            || has_moved
            || self.simulated.key().fastest() >= STILL_SPEED
            || wave.abs() > STILL_WAVE
        {
            self.anchor = depth;
            self.quiet = 0;
            return;
        }
        self.quiet += 1;
        if self.quiet >= STILL_SLOTS && !self.virtual_finger.plays() {
            self.slept = x;
            self.fall_asleep();
        }
    }

    fn fall_asleep(&mut self) {
        self.simulated.key_mut().reset_to_rest();
        self.is_awake = false;
        self.is_placed = false;
        self.cut();
    }
}
