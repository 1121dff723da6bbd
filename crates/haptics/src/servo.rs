//! The host's half of the haptic loop: reads the keyboard's states, moves the simulated keys, answers
//! with waves.
//!
//! The servo has no thread, port or clock of its own: bytes and times come in, bytes go out, so that
//! tests run it in virtual time. Its step grid is the keyboard's clock: a state of time t ends a slot of
//! whole steps of 125 µs. During the slot the force √(2Z)·ū − Z·v pushes the simulated key; ū, √W, is
//! the mean of the received wave over the slot, from the wave integral. The answer w = √(2Z)·v̄ − ū is a
//! command with the play-out time t + lead. The loop's delay is lead + report interval + block delay;
//! half of it, with the filters, is the line's delay τ, s. The impedance is Z = min(25, 0.045/τ) N·s/m;
//! the line's mass is deducted from the simulated key.

mod clock_watch;
mod command_path;
mod command_times;
mod coupling;
mod energy_watch;
mod key;
mod keyboard;
mod line_check;
mod options;
mod plausibility;
mod probe_push;
mod sensor_watch;
mod settling;
mod slot;
mod state_message;
mod status;
mod string_vibration;
pub(crate) mod virtual_finger;
mod wire_watch;

use crate::action::Action;
use crate::line::clock::ClockRecovery;
use crate::record::log::{Entry, Log};
use crate::session::{ConnectionState, HaltReason, SILENCE, Session};
use clock_watch::ClockWatch;
use command_times::CommandTimes;
pub use coupling::Coupling;
use key::HapticKey;
pub use key::{HapticKeyView, WaitReason};
#[cfg(feature = "serial")]
pub(super) use keyboard::has_no_motors;
pub(super) use keyboard::unfit;
pub use options::{BLOCK_MAX, ServoOptions};
use plausibility::LeakyCount;
pub use status::{ServoStatus, WaitingKey};
use touchback_action::interface::slew::Slew;
use touchback_action::{ActionSettings, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_device::fixed::u16_of;
use touchback_device::frame::{FrameReceiver, MAX_FRAME};
use touchback_device::message::{ASKS, Hello, KEYS, KeyFacts, Message};
use wire_watch::WireWatch;

/// Largest number of steps in a slot, 20 ms; a longer interval is a gap.
pub(super) const MAX_STEPS: u64 = 160;
/// Time between *ask* messages while no keyboard answers, s.
const ASK_INTERVAL: f64 = 0.1;
/// Time between pings, s, and before the round trip is known.
const PING_INTERVAL: [f64; 2] = [0.05, 5e-3];
/// Longest wait for the answer to a ping before the next one, s.
const PONG_WAIT: f64 = 0.1;
/// Time between *clear* messages while arming, s: one may be lost.
const CLEAR_INTERVAL: f64 = 0.05;
/// Longest lead, s. A longer one makes the line so soft and slow that repetitions cannot be felt: at 5.3 ms (256
/// samples) 12.8 N·s/m and 14 g remain, at 10.7 ms the line resonates at 14 Hz.
const MAX_LEAD: f64 = 6e-3;
/// Largest sensor step for force, nm. Measured with keys of 30 to 200 g: at 20 µm, where 1 N·s/m remains, the least
/// impedance that can be checked, repeated strokes strike alike within 2 %; at 25 µm the energy guard takes strokes.
const MAX_STEP_NM: u32 = 20_000;
/// Wait for the answers to pings after which a keyboard counts as one that does not answer them, s.
const NO_PONG: f64 = 0.5;
/// Silence after which the keys have to prove their motors again, s: the keyboard may be another one.
const PROOF_LASTS: f64 = 2.0;
/// Silence after which a keyboard without motors counts as gone, s: no force depends on its states, and an adapter that
/// collects 4096 bytes of a single key delivers them every 0.15 s.
const POSITIONS_SILENCE: f64 = 0.5;
/// Pause of the servo's own thread, s, that is late, and the time, s, for which the keyboard is not judged by its timing
/// then: the thread is woken each millisecond.
const LATE: (f64, f64) = (4e-3, 0.3);
/// Silence after which a refused keyboard counts as gone, s: it sends only hello messages.
const REFUSED_SILENCE: f64 = 1.0;

/// The host's half of the haptic loop.
#[derive(Debug)]
pub struct Servo {
    options: ServoOptions,
    session: Session,
    receiver: FrameReceiver,
    hello: Option<Hello>,
    facts: [KeyFacts; KEYS],
    has_facts: bool,
    keys: Vec<HapticKey>,
    /// Sequence number and time, µs of the keyboard's clock, of the last state.
    last: Option<(u16, u32)>,
    /// Time since the first state, µs, without gaps; with a shared clock, host time.
    clock_us: u64,
    /// Several servos count their steps from the same moment.
    shares_clock: bool,
    /// Host time of the last hello or state, s.
    received_at: f64,
    /// States have come since the keyboard was last silent.
    is_reporting: bool,
    ticked_at: f64,
    /// Time at which the servo's own thread last woke late, s.
    late_at: f64,
    ask_sent_at: f64,
    ping_sent_at: f64,
    /// Token of the last ping, and whether it has been answered.
    ping: u32,
    is_ping_answered: bool,
    clear_sent_at: f64,
    /// Receipt of the commands.
    times: CommandTimes,
    wire: WireWatch,
    /// Lead asked for, µs; that of the options is at least as long and covers the wire.
    asked_lead_us: u32,
    /// The lead covers the wire as far as it is known.
    is_lead_settled: bool,
    /// Time at which the session became live, s.
    live_at: Option<f64>,
    /// Sequence number of the last command.
    seq: u16,
    /// Key that `invite` has named last.
    next_quiet: usize,
    clock: ClockRecovery,
    clock_watch: ClockWatch,
    /// States that name none of the keyboard's keys.
    unknown_key_reports: LeakyCount,
    status: ServoStatus,
    /// Action and slewed regulation of the simulated keys; none until the log has them.
    active: Option<(Action, Slew)>,
    /// The log has the action and settings of `options`.
    is_logged: bool,
}

impl Servo {
    /// A servo without a keyboard at `now` s. Allocates; so do the first facts after a hello.
    #[must_use]
    pub fn new(options: ServoOptions, now: f64) -> Self {
        Self {
            asked_lead_us: options.lead_us,
            options,
            session: Session::default(),
            receiver: FrameReceiver::new(),
            hello: None,
            facts: [KeyFacts::default(); KEYS],
            has_facts: false,
            keys: Vec::new(),
            last: None,
            clock_us: 0,
            shares_clock: false,
            received_at: now,
            is_reporting: false,
            ticked_at: now,
            late_at: f64::NEG_INFINITY,
            ask_sent_at: f64::NEG_INFINITY,
            ping_sent_at: now,
            ping: 0,
            is_ping_answered: true,
            clear_sent_at: f64::NEG_INFINITY,
            times: CommandTimes::default(),
            wire: WireWatch::default(),
            is_lead_settled: false,
            live_at: None,
            seq: 0,
            next_quiet: 0,
            clock: ClockRecovery::default(),
            clock_watch: ClockWatch::default(),
            unknown_key_reports: LeakyCount::default(),
            status: ServoStatus::default(),
            active: None,
            is_logged: false,
        }
    }

    /// Arms at the user's request, or disarms.
    pub fn arm(&mut self, on: bool, now: f64, out: &mut Vec<u8>) {
        if on && self.plays_by_positions() {
            // Nothing to arm: the keyboard plays by its positions.
        } else if on {
            self.session.arm(now);
            if self.session.state() == ConnectionState::Arming {
                // A keyboard that was switched off in between has lost its configuration.
                if let Some(hello) = &self.hello {
                    send(&Message::Config(self.config(hello)), out);
                }
                self.is_lead_settled = false;
                self.clear(now, out);
            }
        } else {
            self.stop(out);
            self.session.disarm();
        }
    }

    /// Sends *clear*: no earlier command acts.
    fn clear(&mut self, now: f64, out: &mut Vec<u8>) {
        self.seq = self.seq.wrapping_add(1);
        send(&Message::Clear(self.seq), out);
        self.clear_sent_at = now;
        self.live_at = None;
        self.times = CommandTimes::default();
        self.keys.iter_mut().for_each(HapticKey::clear);
    }

    /// Sends *clear* again to a keyboard that has not become ready: the last one may be lost.
    fn repeat_clear(&mut self, now: f64, out: &mut Vec<u8>) {
        if now - self.clear_sent_at >= CLEAR_INTERVAL {
            self.clear(now, out);
        }
    }

    /// Lengthens the lead to what the wire needs, once enough round trips are known, or halts where the wire is too
    /// slow. Builds the keys anew where the lead changes: they have no force yet. Allocates then.
    fn settle_lead(&mut self, now: f64, out: &mut Vec<u8>) {
        let began = *self.live_at.get_or_insert(now);
        if self.is_lead_settled {
            return;
        }
        let Some(needed) = self.wire.lead() else {
            // A firmware that does not answer pings gets the lead that was asked for.
            self.is_lead_settled = now - began > NO_PONG;
            return;
        };
        if let Some(hello) = &self.hello
            && hello.step_nm > MAX_STEP_NM
        {
            self.session.implausible(HaltReason::CoarseSensor(hello.step_nm / 1000));
            self.stop(out);
            return;
        }
        if needed > MAX_LEAD && needed * 1e6 > f64::from(self.asked_lead_us) {
            self.session.implausible(HaltReason::SlowWire(u16_of(needed, 0.1e-3)));
            self.stop(out);
            return;
        }
        let ticks = touchback_core::math::cast::count((needed / STEP).ceil());
        let lead_us = self.asked_lead_us.max(125 * ticks);
        self.is_lead_settled = true;
        if lead_us != self.options.lead_us {
            self.options.lead_us = lead_us;
            self.build();
        }
        self.status.lead_us = lead_us;
    }

    /// Sends *stop* and sets every key's commanded force to 0.
    fn stop(&mut self, out: &mut Vec<u8>) {
        self.seq = self.seq.wrapping_add(1);
        send(&Message::Stop(self.seq), out);
        self.keys.iter_mut().for_each(HapticKey::cut);
    }

    /// Sets the share of the computed force that is commanded, 0…1; 0 where `gain` is not finite.
    pub fn gain(&mut self, gain: f64) {
        self.options.gain = if gain.is_finite() { gain.clamp(0.0, 1.0) } else { 0.0 };
    }

    /// A host note presses `key` with a fingertip speed of `speed` m/s, or releases it at 0. Ignored
    /// where host notes may not move keys, the session is not live or the keyboard has no such key.
    pub fn play(&mut self, key: KeyNumber, speed: f64) {
        if self.options.plays && self.session.is_live() {
            self.keys.iter_mut().filter(|k| k.number() == key).for_each(|k| k.note(speed));
        }
    }

    /// Lets host notes move the keys, or forbids it and releases the keys.
    pub fn let_play(&mut self, on: bool) {
        self.options.plays = on;
        if !on {
            self.keys.iter_mut().for_each(|k| k.note(0.0));
        }
    }

    /// Sets the simulated action and its regulation from the next state on. Another action allocates
    /// then.
    pub fn feel(&mut self, action: Action, settings: &ActionSettings) {
        (self.options.action, self.options.settings) = (action, settings.clone());
        self.is_logged = false;
    }

    /// Applies action and settings of the options once the log has them: a twin could not repeat
    /// unlogged ones.
    fn apply_pending_settings(&mut self, log: &mut impl Log) {
        if self.is_logged {
            return;
        }
        let (step, action) = (self.step(), self.options.action);
        let settings = self.options.settings.clone();
        let entry = Entry::Setting { step, action, settings };
        if !log.put(&entry) {
            return;
        }
        self.is_logged = true;
        let settings = &self.options.settings;
        match &mut self.active {
            Some((current, slew))
                if *current == action && action.keeps_keys(slew.target(), settings) =>
            {
                slew.aim(settings, step);
            }
            active => {
                let other = active.is_some().then_some(action);
                *active = Some((action, Slew::new(settings)));
                self.keys.iter_mut().for_each(|key| key.renew(other, settings));
            }
        }
    }

    /// Counts the steps by host time, to which they are set anew after gaps and while all keys are at rest: the clocks
    /// of several keyboards drift apart.
    pub const fn share_clock(&mut self) {
        self.shares_clock = true;
    }

    /// The options as last set.
    #[must_use]
    pub const fn options(&self) -> &ServoOptions {
        &self.options
    }

    /// Handles bytes received at `now` s; appends the answers to `out`.
    pub fn receive(&mut self, now: f64, bytes: &[u8], out: &mut Vec<u8>, log: &mut impl Log) {
        // What has waited while this computer stood still is no fault of the keyboard.
        let has_paused = self.notice_pause(now, out);
        self.status.bytes += bytes.len() as u64;
        for byte in bytes {
            let message = match self.receiver.push(*byte) {
                None => continue,
                Some(Ok(payload)) => Message::decode(payload),
                Some(Err(_)) => None,
            };
            match message {
                Some(message) => self.handle(now, &message, out, log),
                None => self.status.damaged += 1,
            }
        }
        if has_paused {
            // They came all at once, which says nothing of the keyboard's clock.
            self.clock_watch.restart();
        }
    }

    fn handle(&mut self, now: f64, message: &Message, out: &mut Vec<u8>, log: &mut impl Log) {
        match message {
            Message::Hello(hello) => self.handle_hello(now, hello, out),
            Message::Facts(list) => {
                for facts in list.as_slice() {
                    if let Some(entry) = self.facts.get_mut(usize::from(facts.key)) {
                        *entry = *facts;
                    }
                }
                if !self.has_facts {
                    self.has_facts = true;
                    self.build();
                }
            }
            Message::State(state) => self.handle_state(now, state, out, log),
            Message::Pong(token, t_us) => {
                if *token == self.ping && !self.is_ping_answered {
                    self.is_ping_answered = true;
                    self.status.round_trip = now - self.ping_sent_at;
                    self.wire.note_trip(self.status.round_trip);
                    self.clock.note(*t_us, now);
                }
            }
            // Messages that only hosts send.
            _ => self.status.damaged += 1,
        }
    }

    fn handle_hello(&mut self, now: f64, hello: &Hello, out: &mut Vec<u8>) {
        self.received_at = now;
        let is_new = self.hello != Some(*hello);
        let chunked = self.wire.chunk(now).filter(|_| !keyboard::has_no_motors(hello));
        let chunked = chunked.map(|chunk| HaltReason::Chunked(u16_of(chunk, 1e-3)));
        let refusal = keyboard::unfit(hello).or(chunked);
        let was = self.session.state();
        self.session.hello(refusal);
        // An arming keyboard may already be ready for commands.
        if is_new && matches!(was, ConnectionState::Arming | ConnectionState::Live) {
            self.stop(out);
        }
        if refusal.is_some() {
            // The next usable keyboard counts as new: it needs a configuration and a new proof.
            self.hello = None;
        } else if is_new || was == ConnectionState::Seeking {
            if is_new {
                // The last keyboard's proof and arming do not hold for this one.
                self.keys.clear();
                self.session.disarm();
            }
            self.hello = Some(*hello);
            self.has_facts = false;
            self.last = None;
            let is_direct = hello.abilities & touchback_device::message::ability::WAVE == 0;
            let most = if is_direct { self.options.coupling.local } else { f64::INFINITY };
            self.options.impedance_max = options::impedance_max(hello.step_nm).min(most);
            self.options.tick_us =
                u16::try_from(1_000_000 / u32::from(hello.rate_hz.max(1))).unwrap_or(u16::MAX);
            send(&Message::Config(self.config(hello)), out);
        }
    }

    /// The keyboard has sensors and no motors.
    fn plays_by_positions(&self) -> bool {
        self.hello.as_ref().is_some_and(keyboard::has_no_motors)
    }

    /// Action steps since the first state.
    const fn step(&self) -> u64 {
        self.clock_us / 125
    }

    /// Ends force where the servo itself was not called for longer than [`SILENCE`] before `now` s; returns
    /// whether it was not.
    fn notice_pause(&mut self, now: f64, out: &mut Vec<u8>) -> bool {
        let has_paused = now - self.ticked_at > SILENCE;
        if now - self.ticked_at > LATE.0 {
            self.late_at = now;
        }
        if has_paused {
            let was_live = self.session.is_live();
            self.session.late();
            if was_live {
                self.stop(out);
            }
            self.clock_watch.restart();
            // The keyboard was not silent as far as this computer could hear.
            self.received_at = now;
        }
        self.ticked_at = now;
        has_paused
    }

    /// The servo's own thread woke late in the time before `now`, s: late answers and bursts of states are this
    /// computer's doing.
    fn is_busy(&self, now: f64) -> bool {
        now - self.late_at < LATE.1
    }

    /// Checks the timeouts and sends asks and pings at `now` s; to be called about every millisecond.
    pub fn tick(&mut self, now: f64, out: &mut Vec<u8>) {
        self.notice_pause(now, out);
        let state = self.session.state();
        let timeout = match state {
            ConnectionState::Refused => REFUSED_SILENCE,
            _ if self.plays_by_positions() => POSITIONS_SILENCE,
            _ => SILENCE,
        };
        if now - self.received_at > timeout && state != ConnectionState::Seeking {
            self.session.silence();
            self.is_reporting = false;
            self.keys.iter_mut().for_each(HapticKey::lose);
            self.clock_watch.restart();
        }
        if now - self.received_at > PROOF_LASTS {
            self.keys.iter_mut().for_each(HapticKey::distrust);
        }
        if self.session.state() == ConnectionState::Seeking {
            if now - self.ask_sent_at >= ASK_INTERVAL {
                self.ask_sent_at = now;
                // A zero ends a partial frame on the line.
                out.push(0);
                ASKS.iter().for_each(|ask| send(ask, out));
            }
            return;
        }
        let interval = PING_INTERVAL[usize::from(!self.wire.is_known())];
        let waits = !self.is_ping_answered && now - self.ping_sent_at < PONG_WAIT;
        if now - self.ping_sent_at >= interval && !waits {
            self.ping_sent_at = now;
            self.is_ping_answered = false;
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

/// Duration of `steps` action steps, s.
pub(super) fn seconds(steps: u64) -> f64 {
    f64::from(u32::try_from(steps).unwrap_or(u32::MAX)) * STEP
}

#[cfg(test)]
mod tests;
