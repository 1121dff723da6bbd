//! The host half: reads the keyboard's states, moves the felt keys, answers with waves.
//!
//! No thread, no port, no clock of its own: bytes and times come in, bytes go out, so that tests run
//! it in virtual time. Its step grid is the keyboard's clock: a state of time t ends a slot of whole
//! steps of 125 µs, in which the simulated key is pushed with √(2Z)·ū − Z·v, ū the mean of the received
//! wave over the slot by its integral. The answer, w = √(2Z)·v̄ − ū, is a command for the time
//! t + lead. The loop's delay is lead + report interval + block delay; half of it, with the filters,
//! is the line's τ: Z = min(25, 0.045/τ), and the line's mass is taken off the felt key.

mod key;
mod keyboard;
mod options;
mod plausibility;
mod probe_push;
mod settling;
mod slot;
mod status;
mod string_vibration;
pub mod virtual_finger;

use super::action::Action;
use super::clock::Recovery;
use super::log::{Entry, Log};
use super::session::{ConnectionState, HaltReason, SILENCE, Session};
use super::symptom::Symptom;
use key::HapticKey;
pub use key::HapticKeyView;
pub(super) use keyboard::unfit;
pub use options::{BLOCK_MAX, ServoOptions};
use plausibility::{ClockWatch, LeakyCount};
use slot::{Join, Slot};
pub use status::ServoStatus;
use touchback_action::interface::slew::Slew;
use touchback_action::{ActionSettings, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_device::device::key_impedance::LEAST_IMPEDANCE;
use touchback_device::device::safety::DeviceMode;
use touchback_device::fixed::{count, since};
use touchback_device::frame::{FrameReceiver, MAX_FRAME};
use touchback_device::message::{
    Hello, IMPEDANCE, KEYS, KeyFacts, KeyList, Message, Play, StateMessage, VERSION, ability, fault,
};

/// Steps a slot may have; a longer one is a gap.
pub(super) const MOST_STEPS: u64 = 160;
/// Time between asks while nobody answers, s.
const ASK_EVERY: f64 = 0.1;
/// Time between pings, s.
const PING_EVERY: f64 = 0.05;
/// Keys pushed at a time, to show that their motors are right.
const PUSHED: usize = 8;
/// Silence after which a keyboard may be another one, s.
const FORGOTTEN: f64 = 2.0;

/// The host half.
#[derive(Debug)]
pub struct Servo {
    options: ServoOptions,
    session: Session,
    receiver: FrameReceiver,
    hello: Option<Hello>,
    facts: [KeyFacts; KEYS],
    has_facts: bool,
    keys: Vec<HapticKey>,
    /// Number and time of the last state; µs since the first one.
    last: Option<(u16, u32)>,
    clock_us: u64,
    heard_at: f64,
    /// States have come since the keyboard was last silent.
    is_reporting: bool,
    ticked_at: f64,
    asked_at: f64,
    pinged_at: f64,
    ping: u32,
    seq: u16,
    next_quiet: usize,
    clock: Recovery,
    watch: ClockWatch,
    /// States without a key of the keyboard's.
    unknown_key_reports: LeakyCount,
    status: ServoStatus,
    /// Which action the keys are of, and the regulation they follow; none until the log has it.
    felt: Option<(Action, Slew)>,
    /// The log has what the options want to be felt.
    is_told: bool,
}

impl Servo {
    /// Nobody there yet, at `now` s. Allocates; so does the first hello.
    #[must_use]
    pub fn new(options: ServoOptions, now: f64) -> Self {
        Self {
            options,
            session: Session::default(),
            receiver: FrameReceiver::new(),
            hello: None,
            facts: [KeyFacts::default(); KEYS],
            has_facts: false,
            keys: Vec::new(),
            last: None,
            clock_us: 0,
            heard_at: now,
            is_reporting: false,
            ticked_at: now,
            asked_at: f64::NEG_INFINITY,
            pinged_at: now,
            ping: 0,
            seq: 0,
            next_quiet: 0,
            clock: Recovery::default(),
            watch: ClockWatch::default(),
            unknown_key_reports: LeakyCount::default(),
            status: ServoStatus::default(),
            felt: None,
            is_told: false,
        }
    }

    /// The user wants force, or none.
    pub fn arm(&mut self, on: bool, now: f64, out: &mut Vec<u8>) {
        if on {
            self.session.arm(now);
            if self.session.state() == ConnectionState::Arming {
                // A keyboard that was switched off in between has forgotten its limits.
                if let Some(hello) = &self.hello {
                    send(&Message::Config(self.config(hello)), out);
                }
                self.seq = self.seq.wrapping_add(1);
                send(&Message::Clear(self.seq), out);
            }
        } else {
            self.stop(out);
            self.session.disarm();
        }
    }

    fn stop(&mut self, out: &mut Vec<u8>) {
        self.seq = self.seq.wrapping_add(1);
        send(&Message::Stop(self.seq), out);
        self.keys.iter_mut().for_each(HapticKey::cut);
    }

    /// Share of the force given, 0…1.
    pub fn gain(&mut self, gain: f64) {
        self.options.gain = if gain.is_finite() { gain.clamp(0.0, 1.0) } else { 0.0 };
    }

    /// A host note presses `key` at `speed` m/s of a fingertip, or lets it up, at 0; nothing where
    /// the player is off, force is not given or the keyboard has no such key.
    pub fn play(&mut self, key: KeyNumber, speed: f64) {
        if self.options.plays && self.session.is_live() {
            self.keys.iter_mut().filter(|k| k.number() == key).for_each(|k| k.note(speed));
        }
    }

    /// Host notes may move the keys, or not.
    pub fn let_play(&mut self, on: bool) {
        self.options.plays = on;
        if !on {
            self.keys.iter_mut().for_each(|k| k.note(0.0));
        }
    }

    /// Feels another action or regulation from the next state on. Another action allocates then.
    pub fn feel(&mut self, action: Action, settings: &ActionSettings) {
        (self.options.action, self.options.settings) = (action, *settings);
        self.is_told = false;
    }

    /// Feels what the options want once the log knows of it: until then a twin could not follow.
    fn apply_pending_settings(&mut self, log: &mut impl Log) {
        let (step, action, settings) = (self.step(), self.options.action, self.options.settings);
        if self.is_told || !log.put(&Entry::Setting { step, action, settings }) {
            return;
        }
        self.is_told = true;
        match &mut self.felt {
            Some((felt, slew)) if *felt == action => slew.aim(&settings, step),
            felt => {
                let other = felt.is_some().then_some(action);
                *felt = Some((action, Slew::new(&settings)));
                self.keys.iter_mut().for_each(|key| key.renew(other, &settings));
            }
        }
    }

    /// What is to be felt, and how.
    #[must_use]
    pub const fn options(&self) -> &ServoOptions {
        &self.options
    }

    /// Takes received bytes at `now` s; answers are appended to `out`.
    pub fn receive(&mut self, now: f64, bytes: &[u8], out: &mut Vec<u8>, log: &mut impl Log) {
        for byte in bytes {
            let message = match self.receiver.push(*byte) {
                None => continue,
                Some(Ok(payload)) => Message::decode(payload),
                Some(Err(_)) => None,
            };
            match message {
                Some(message) => self.take(now, &message, out, log),
                None => self.status.damaged += 1,
            }
        }
    }

    fn take(&mut self, now: f64, message: &Message, out: &mut Vec<u8>, log: &mut impl Log) {
        match message {
            Message::Hello(hello) => {
                self.heard_at = now;
                let is_new = self.hello != Some(*hello);
                let wrong = keyboard::unfit(hello);
                let was = self.session.state();
                self.session.hello(wrong);
                if was == ConnectionState::Live && is_new {
                    self.stop(out);
                }
                if wrong.is_none() && (is_new || was == ConnectionState::Seeking) {
                    if is_new {
                        // What held for the last keyboard does not hold for this one.
                        self.keys.clear();
                        self.session.disarm();
                    }
                    self.hello = Some(*hello);
                    self.has_facts = false;
                    self.last = None;
                    send(&Message::Config(self.config(hello)), out);
                }
            }
            Message::Facts(list) => {
                for facts in list.as_slice() {
                    if let Some(place) = self.facts.get_mut(usize::from(facts.key)) {
                        *place = *facts;
                    }
                }
                if !self.has_facts {
                    self.has_facts = true;
                    self.build();
                }
            }
            Message::State(state) => self.state(now, state, out, log),
            Message::Pong(token, t_us) => {
                if *token == self.ping {
                    self.status.round_trip = now - self.pinged_at;
                    self.clock.note(*t_us, now);
                }
            }
            // What only hosts say.
            _ => self.status.damaged += 1,
        }
    }

    fn state(&mut self, now: f64, state: &StateMessage, out: &mut Vec<u8>, log: &mut impl Log) {
        let Some(hello) = self.hello else { return };
        self.status.factless += u64::from(!self.has_facts);
        if !self.has_facts || self.session.state() == ConnectionState::Refused {
            return;
        }
        let mut is_gap = true;
        let mut advance_us = 0;
        if let Some((seq, t_us)) = self.last {
            let ahead = state.seq.wrapping_sub(seq);
            let passed = since(state.t_us, t_us);
            if ahead == 0 || (ahead > u16::MAX / 2 && passed <= 0 && passed > -1_000_000) {
                return;
            }
            let most = i32::try_from(MOST_STEPS * 125).unwrap_or(i32::MAX);
            if passed > 0 && passed <= most {
                is_gap = false;
                advance_us = u64::from(passed.unsigned_abs());
                self.status.lost += u64::from(ahead) - 1;
            }
        }
        self.heard_at = now;
        self.clock.note(state.t_us, now);
        self.last = Some((state.seq, state.t_us));
        if self.session.state() == ConnectionState::Seeking {
            // Back after a silence, as it was: the hello is asked for in tick.
            return;
        }
        self.status.states += 1;
        self.is_reporting = true;
        let mode = DeviceMode::of(state.mode).unwrap_or(DeviceMode::Fault);
        (self.status.mode, self.status.faults) = (mode, state.faults);
        let was_live = self.session.is_live();
        self.session.device(mode, state.faults, now);
        if was_live && !self.session.is_live() {
            self.stop(out);
        }
        if mode == DeviceMode::Damping
            && matches!(self.session.halt_reason(), HaltReason::Implausible(..))
        {
            // Damping by a motor or sensor that cannot be believed may push: by way of ready to idle.
            self.seq = self.seq.wrapping_add(1);
            send(&Message::Clear(self.seq), out);
            self.stop(out);
        }
        self.apply_pending_settings(log);
        if is_gap {
            self.status.gaps += u64::from(self.status.states > 1);
            self.keys.iter_mut().for_each(HapticKey::lose);
            self.watch.restart();
        }
        self.watch.note(advance_us as f64 * 1e-6, now);
        let mut wrong = self.watch.is_wrong().then_some(HaltReason::Implausible(Symptom::Clock, 0));
        let before = self.step();
        self.clock_us += advance_us;
        let after = self.step();
        // A log without room for what is felt has none for keys that move.
        let Some((_, settings)) = &self.felt else { return };
        let is_direct = hello.abilities & ability::WAVE == 0;
        let lead_us = self.options.lead_us + self.options.block_us();
        let (lead, is_live) = (u64::from(lead_us.div_ceil(125)), self.session.is_live());
        let mut pushed = self.keys.iter().filter(|k| k.is_pushed()).count();
        let is_observed = self.watch.is_observed(now);
        let sensor_step = f64::from(hello.step_nm) * 1e-9;
        let is_guarded = state.faults & fault::ENERGY != 0;
        let mut play = Play {
            seq: self.seq.wrapping_add(1),
            play_us: state.t_us.wrapping_add(lead_us),
            keys: KeyList::default(),
        };
        for report in state.keys.as_slice() {
            let Some(key) = self.keys.get_mut(usize::from(report.key)) else {
                self.status.damaged += 1;
                continue;
            };
            let z = f64::from(report.impedance) * IMPEDANCE;
            let join = match (is_direct, mode == DeviceMode::Live && z >= LEAST_IMPEDANCE) {
                (true, _) => Join::Coupled,
                (false, true) => Join::Wave(z),
                (false, false) => Join::Followed,
            };
            let may_push = is_observed && (pushed < PUSHED || key.is_pushed());
            let slot = Slot {
                before,
                after,
                report,
                join,
                settings,
                is_live,
                may_push,
                lead,
                sensor_step,
                is_guarded,
            };
            let was_pushed = key.is_pushed();
            let symptom = key.slot(&slot, &self.options, log);
            wrong = wrong.or(symptom.map(|s| HaltReason::Implausible(s, key.number().number())));
            pushed += usize::from(!was_pushed && key.is_pushed());
            play.keys.push(key.command(report.key, after, &self.options));
        }
        if self.session.is_live() && self.options.plays {
            for (number, key) in (0u8..).zip(&mut self.keys) {
                if state.keys.as_slice().iter().any(|k| k.key == number) {
                    continue;
                }
                let Some(report) = key.unreported(number, &self.options) else { continue };
                let z = self.options.impedance();
                let join = if is_direct { Join::Coupled } else { Join::Wave(z) };
                let slot = Slot {
                    before,
                    after,
                    report: &report,
                    join,
                    settings,
                    is_live,
                    may_push: false,
                    lead,
                    sensor_step,
                    is_guarded,
                };
                // Nothing was reported that could be wrong.
                let _ = key.slot(&slot, &self.options, log);
                play.keys.push(key.command(number, after, &self.options));
            }
        }
        self.status.step = after;
        let names_none = state.keys.as_slice().iter().all(|k| k.key >= hello.keys);
        if self.unknown_key_reports.note(names_none) {
            wrong = wrong.or(Some(HaltReason::Implausible(Symptom::Keys, 0)));
        }
        if let Some(why) = wrong {
            self.session.implausible(why);
            if is_live {
                self.stop(out);
            }
            self.keys.iter_mut().for_each(HapticKey::distrust);
        }
        if self.session.is_live() {
            self.invite(&mut play);
            self.seq = play.seq;
            let message = if is_direct { Message::Torque(play) } else { Message::Wave(play) };
            send(&message, out);
        }
    }

    /// A key that was not reported gets its impedance all the same, one after another.
    fn invite(&mut self, play: &mut Play) {
        let step = self.step();
        for _ in 0..8 {
            if self.keys.is_empty() {
                return;
            }
            self.next_quiet = (self.next_quiet + 1) % self.keys.len();
            let number = count(self.next_quiet);
            if play.keys.as_slice().iter().all(|k| k.key != number)
                && let Some(key) = self.keys.get_mut(self.next_quiet)
            {
                play.keys.push(key.command(number, step, &self.options));
            }
        }
    }

    /// Steps since the first state.
    const fn step(&self) -> u64 {
        self.clock_us / 125
    }

    /// Looks at the clock at `now` s; to be called every millisecond or so.
    pub fn tick(&mut self, now: f64, out: &mut Vec<u8>) {
        if now - self.ticked_at > SILENCE {
            let was_live = self.session.is_live();
            self.session.late();
            if was_live {
                self.stop(out);
            }
            self.watch.restart();
        }
        self.ticked_at = now;
        let patience = if self.session.state() == ConnectionState::Refused { 1.0 } else { SILENCE };
        if now - self.heard_at > patience && self.session.state() != ConnectionState::Seeking {
            self.session.silence();
            self.is_reporting = false;
            self.keys.iter_mut().for_each(HapticKey::lose);
            self.watch.restart();
        }
        if now - self.heard_at > FORGOTTEN {
            self.keys.iter_mut().for_each(HapticKey::distrust);
        }
        if self.session.state() == ConnectionState::Seeking {
            if now - self.asked_at >= ASK_EVERY {
                self.asked_at = now;
                // A zero ends whatever half frame the line still holds.
                out.push(0);
                send(&Message::Ask(VERSION), out);
            }
            return;
        }
        if now - self.pinged_at >= PING_EVERY {
            self.pinged_at = now;
            self.ping = self.ping.wrapping_add(1);
            send(&Message::Ping(self.ping), out);
        }
    }
}

fn send(message: &Message, out: &mut Vec<u8>) {
    let mut frame = [0; MAX_FRAME];
    if let Some(length) = message.frame(&mut frame) {
        out.extend_from_slice(&frame[..length]);
    }
}

/// Seconds in `steps` action steps.
pub(super) fn seconds(steps: u64) -> f64 {
    f64::from(u32::try_from(steps).unwrap_or(u32::MAX)) * STEP
}

#[cfg(test)]
mod tests;
