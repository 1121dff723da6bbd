//! One key of the servo: simulated key, checks of the reports, sleep, force limits.

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
const WAKE_MOTION: f64 = 30e-6;
/// Wave that wakes a key, √W: more than the remainder of the last answer.
const WAKE_WAVE: f64 = 0.05;
/// Slots without motion near rest after which a key falls asleep.
const REST_SLOTS: u32 = 100;
/// Speed below which simulated and reported key are compared, m/s, and slots for which both must be slower until a
/// simulated key that touches nothing is set to the reported depth; chosen: in the delay of the line the key moves
/// by 10 µm.
const SLOW: f64 = 10e-3;
/// See [`SLOW`].
const SLOW_SLOTS: u32 = 20;
/// Largest wave of a key at rest, √W: that of encoder steps and their echoes.
const REST_WAVE: f64 = 0.1;
/// Speed of any part, m/s and rad/s, below which the simulated key is at rest: more than encoder steps cause
/// at the end of the line.
const REST_SPEED: f64 = 0.1;
/// Largest depth of a key near rest, m.
const NEAR_REST: f64 = 0.2e-3;

/// Longest wait for the impedance to rise, s, and the sufficient share of it. Through a smaller impedance
/// a mechanism that is held down would fly up.
const JOINING: (f64, f64) = (0.25, 0.95);
/// Largest force on a key with implausible waves, N.
const DOUBTED_FORCE: f64 = 1.0;

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
    push: ProbePush,
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
    /// Slots in which simulated and reported key were slower than [`SLOW`].
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
            line: LineCheck::default(),
            push: ProbePush::new(old.is_some_and(Self::is_proven)),
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
        self.force = 0.0;
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
        Some(KeyState { key: number, x: i16_of(x, POSITION), wave_sum, force: 0, impedance })
    }

    /// Ends force where the reports cannot be followed; the next report begins anew.
    pub fn lose(&mut self) {
        self.last = None;
        self.line.pause();
        (self.is_unfollowed, self.settling, self.slept) = (true, None, 0.0);
        self.joining = JOINING.0;
        self.is_placed = false;
        self.cut();
    }

    /// The probe push has shown that the motor moves the key as commanded.
    pub const fn is_proven(&self) -> bool {
        self.push.is_proven()
    }

    /// Demands a new probe push.
    pub const fn distrust(&mut self) {
        self.push = ProbePush::new(false);
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

    /// The command for the key, which is `number` on the keyboard. Notes it for the check of the reports.
    pub fn command(&mut self, number: u8, step: u64, options: &ServoOptions) -> KeyWave {
        let impedance = if self.push.is_proven() { options.impedance() } else { 0.0 };
        self.line.sent(step, self.force, impedance);
        KeyWave {
            key: number,
            force: i16_of(self.force, FORCE),
            impedance: u8_of(impedance, IMPEDANCE),
        }
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
        if let Join::Wave(impedance) = slot.join {
            let report = LineReport {
                motion: x - was,
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
                motion: x - was,
                time: span,
                lead: seconds(slot.lead),
                step: slot.sensor_step,
                may_begin: slot.may_push && self.settling.is_none(),
            };
            let (force, wrong) = self.push.update(&report, &self.mechanics);
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
        // Where more keys move than a state holds, the slot of a key covers all steps since its last
        // report.
        let before = if self.is_awake && self.is_placed { then } else { slot.before };
        let slot = Slot { before, ..*slot };
        self.follow(&slot, options, was, change / slot.time(), log);
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
        // A key with an unproven motor is followed without force.
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
        let mut wanted = (wanted + vibration) * options.gain;
        if self.line.is_doubted() {
            wanted = wanted.clamp(-DOUBTED_FORCE, DOUBTED_FORCE);
        }
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

    /// Sets a simulated key that touches nothing to the reported depth `x`, m, where both have been slower than
    /// [`SLOW`] for [`SLOW_SLOTS`]; `speed` is that of the report, m/s. Near standstill the line carries no wave
    /// that could correct the drift. The shift does no work, because nothing is in contact.
    fn align(&mut self, x: f64, speed: f64) {
        let [depth, own] = self.simulated.key().front();
        let is_slow = own.abs() < SLOW && speed.abs() < SLOW;
        self.slow_slots = if is_slow { self.slow_slots + 1 } else { 0 };
        if self.slow_slots >= SLOW_SLOTS
            && (depth - x).abs() > WAKE_MOTION
            && self.simulated.key_mut().shift(x)
        {
            // The log gets the state before the next slot.
            (self.is_placed, self.slow_slots) = (false, 0);
        }
    }

    /// Falls asleep after [`REST_SLOTS`] slots without motion near rest.
    fn sleep_if_at_rest(&mut self, wave: f64, x: f64) {
        let [depth, _] = self.simulated.key().front();
        let is_near = depth.abs() < NEAR_REST && x.abs() < NEAR_REST;
        let has_moved = (depth - self.anchor).abs() > WAKE_MOTION;
        if !is_near
            || has_moved
            || self.simulated.key().fastest() >= REST_SPEED
            || wave.abs() > REST_WAVE
        {
            self.anchor = depth;
            self.quiet = 0;
            return;
        }
        self.quiet += 1;
        if self.quiet >= REST_SLOTS && !self.virtual_finger.plays() {
            self.slept = x;
            self.fall_asleep();
        }
    }

    /// Puts the simulated key to rest and ends its force.
    fn fall_asleep(&mut self) {
        self.simulated.reset_to_rest();
        self.is_awake = false;
        self.is_placed = false;
        self.cut();
    }
}
