//! The device's half of a motorized keyboard. Firmware and emulator run the same code.
//!
//! Firmware passes received bytes to [`Device::receive`], calls [`Device::tick`] at the local rate with
//! the sensor counts, applies the forces, and sends the frames of [`Device::report`] until it returns 0.
//! A host's configuration can only tighten the limits of the build. A broken sensor ends force whatever
//! the host commands. After stop, silence or fault the force is, from the end of the fade on, at most
//! the safe damping times the speed (`history` tests it). Times are the device's own microseconds
//! modulo 2³².

pub(crate) mod build;
mod channel;
pub mod key_impedance;
pub mod limit;
pub(crate) mod playout;
pub mod safety;

use crate::fixed::{self, i16_of, u8_of};
use crate::frame::{FrameReceiver, MAX_PAYLOAD};
use crate::message::{
    self, Config, FORCE, Hello, IMPEDANCE, KeyList, KeyState, Message, NO_KEY, NO_SPEED, POSITION,
    Play, SPEED, StateMessage, fault,
};
use crate::real::Real;
pub use build::Build;
use build::Rules;
use channel::Channel;
use key_impedance::{KeyImpedance, KeyOrder, TickConstants};
use limit::MotorLimits;
use playout::{Playout, Pushed};
use safety::{DeviceMode, Safety};

/// Time beyond the report interval of a key during which its last command holds, µs. After that the
/// commanded force decays.
const HOLD_US: u32 = 2_000;
/// Time for which a key that has moved is reported in every state, µs.
const RECENT_US: u32 = 100_000;
/// Largest number of keys in a state, with measured speeds (1024 bytes) and without.
const WITH_SPEEDS: usize = (MAX_PAYLOAD - 14) / 12;
const KEYS_PER_STATE: usize = message::KEYS;
/// Largest keyboard that reports all its keys in every state.
const ALL_REPORTED: usize = 10;

/// A keyboard with room for `KEYS` keys that calculates in `F`.
#[derive(Clone, Debug)]
pub struct Device<const KEYS: usize, F = f64> {
    build: Build<KEYS, F>,
    rules: Rules<F>,
    tick: TickConstants<F>,
    tick_us: u32,
    /// Motion of the key front per sensor count, m.
    step: F,
    safety: Safety,
    keys: [Channel<F>; KEYS],
    /// The first tick has set the positions.
    has_positions: bool,
    /// Version of the protocol that is spoken.
    version: u8,
    /// The host that asked last speaks no version of this device: only ask and stop are heeded.
    is_foreign: bool,
    /// Measured speeds in units of [`SPEED`].
    speeds: [i16; KEYS],
    /// First key whose sensor was found broken since the last clear.
    broken: Option<u8>,
    playout: Playout,
    /// The session's commands are torques, not waves.
    is_direct: bool,
    receiver: FrameReceiver,
    now_us: u32,
    /// Time at which the last state was due, µs.
    report_us: u32,
    state_seq: u16,
    /// Key at rest that the next state reports, and first candidate among the moving keys.
    next_quiet: usize,
    next_moved: usize,
    /// States that it takes to report every moving key once.
    rounds: u32,
    pending: PendingMessages,
}

/// Messages to be sent.
#[derive(Clone, Copy, Debug, Default)]
struct PendingMessages {
    hello: bool,
    facts: bool,
    pong: Option<u32>,
    state: bool,
}

impl<const KEYS: usize, F: Real> Device<KEYS, F> {
    /// A device switched on at device time `now_us`, in mode idle, with the keys of `build`, at most
    /// `KEYS`.
    #[must_use]
    pub fn new(mut build: Build<KEYS, F>, now_us: u32) -> Self {
        let hello = &mut build.hello;
        hello.keys = hello.keys.min(fixed::count(KEYS));
        hello.version = message::VERSION;
        let is_reset_by_watchdog = hello.reset_cause == message::reset_cause::WATCHDOG;
        let rate = hello.rate_hz.max(1);
        let step_nm = hello.step_nm.min(1 << 24).cast_signed();
        let rules = build.rules();
        let mut safety = Safety::new(rules.timeout_us);
        safety.note(if is_reset_by_watchdog { fault::WATCHDOG_RESET } else { 0 });
        Self {
            tick: TickConstants::new(F::from_count(i32::from(rate))),
            tick_us: 1_000_000 / u32::from(rate),
            step: F::from_count(step_nm) * F::of(1e-9),
            safety,
            keys: [Channel::default(); KEYS],
            has_positions: false,
            version: message::VERSION,
            is_foreign: false,
            speeds: [NO_SPEED; KEYS],
            broken: None,
            playout: Playout::new(),
            is_direct: false,
            receiver: FrameReceiver::new(),
            now_us,
            report_us: now_us,
            state_seq: 0,
            next_quiet: 0,
            next_moved: 0,
            rounds: 1,
            pending: PendingMessages::default(),
            build,
            rules,
        }
    }

    /// Description that the host receives.
    #[must_use]
    pub const fn hello(&self) -> &Hello {
        &self.build.hello
    }

    /// Mode of the state machine.
    #[must_use]
    pub const fn mode(&self) -> DeviceMode {
        self.safety.mode()
    }

    /// Bits of [`fault`] since the last clear.
    #[must_use]
    pub const fn faults(&self) -> u16 {
        self.safety.faults()
    }

    /// Number of keys.
    fn count(&self) -> usize {
        usize::from(self.build.hello.keys).min(KEYS)
    }

    /// State of one key, numbered from 0.
    #[must_use]
    pub fn key(&self, key: usize) -> Option<&KeyImpedance<F>> {
        self.keys.get(key).map(|channel| &channel.law)
    }

    /// Limits of the build, tightened by the configuration.
    #[must_use]
    pub const fn limits(&self) -> &MotorLimits<F> {
        &self.rules.limits
    }

    /// Damping while fading and damping, N·s/m.
    #[must_use]
    pub const fn safe_damping(&self) -> F {
        self.rules.safe_damping
    }

    /// Handles one received byte.
    pub fn receive(&mut self, byte: u8) {
        let message = match self.receiver.push(byte) {
            None => return,
            Some(Ok(payload)) => Message::decode(payload),
            Some(Err(_)) => None,
        };
        match message {
            Some(message) => self.handle(&message),
            None => self.safety.note(fault::FRAME),
        }
    }

    fn handle(&mut self, message: &Message) {
        match message {
            Message::Ask { newest, oldest } => self.handle_ask(*newest, *oldest),
            Message::Stop(_) => self.stop(),
            // Other messages may have another meaning in another version.
            _ if self.is_foreign => {}
            Message::Ping(token) => self.pending.pong = Some(*token),
            Message::Config(config) => self.configure(config),
            Message::Clear(_) => self.clear(),
            Message::Wave(play) => self.command(play, false),
            Message::Torque(play) => self.command(play, true),
            // Messages that only devices send.
            Message::Hello(_) | Message::Facts(_) | Message::State(_) | Message::Pong(..) => {
                self.safety.note(fault::FRAME);
            }
        }
    }

    /// A host that speaks the versions `oldest` to `newest` of the protocol asks. The newest common one is
    /// spoken from now on. A host without a common one receives the hello, in which it finds the nearest; force
    /// ends and nothing but ask and stop is heeded.
    fn handle_ask(&mut self, newest: u8, oldest: u8) {
        self.version = newest.clamp(message::OLDEST_VERSION, message::VERSION);
        self.is_foreign = newest < self.version || oldest > self.version;
        self.pending.hello = true;
        self.pending.facts = !self.is_foreign;
        if self.is_foreign {
            self.safety.note(fault::VERSION);
            self.stop();
        }
    }

    /// Ends force and drops the waiting commands.
    fn stop(&mut self) {
        self.safety.stop();
        self.playout.clear();
    }

    /// Begins a new session: no commands, no waves, full energy guards.
    fn clear(&mut self) {
        if self.safety.clear() {
            self.broken = None;
            self.playout = Playout::new();
            let guard = self.rules.guard;
            self.keys.iter_mut().for_each(|key| key.reset(guard));
        }
    }

    fn command(&mut self, play: &Play, is_direct: bool) {
        let ability = if is_direct { message::ability::TORQUE } else { message::ability::WAVE };
        let is_other_kind = self.safety.mode() == DeviceMode::Live && is_direct != self.is_direct;
        if self.build.hello.abilities & ability == 0 || is_other_kind {
            self.safety.note(fault::FRAME);
            return;
        }
        if !self.safety.accepts_commands() {
            return;
        }
        match self.playout.push(play, self.now_us) {
            Pushed::Taken => {
                self.is_direct = is_direct;
                self.safety.command();
            }
            Pushed::Stale => {}
            Pushed::Ahead => self.safety.note(fault::CLOCK),
        }
    }

    /// Applies a configuration within the limits of the build.
    fn configure(&mut self, config: &Config) {
        let (rules, is_cut) = self.build.configured(config);
        self.rules = rules;
        self.safety.timeout_us = rules.timeout_us;
        if is_cut {
            self.safety.note(fault::CONFIG);
        }
    }

    /// Notes the present faults of the hardware, bits of [`fault::HARDWARE`], before a tick. They end force.
    pub const fn hardware(&mut self, faults: u16) {
        self.safety.hardware(faults);
    }

    /// Notes the measured speed of `key`, m/s, positive down, before a tick ([`message::ability::SPEED`]).
    pub fn measured_speed(&mut self, key: usize, speed: F) {
        if let Some(noted) = self.speeds.get_mut(key) {
            *noted = i16_of(speed, F::of(SPEED)).max(-i16::MAX);
        }
    }

    /// One tick at device time `now_us`: reads the sensor counts, positive down, and writes the forces on
    /// the keys, N, positive against downward motion. An early or late tick calculates with the time that has passed,
    /// at least an eighth of a tick.
    pub fn tick(&mut self, now_us: u32, counts: &[i32; KEYS], forces: &mut [F; KEYS]) {
        let passed_us = now_us.wrapping_sub(self.now_us);
        self.now_us = now_us;
        self.safety.tick(passed_us);
        if self.has_positions && passed_us >= 2 * self.tick_us {
            self.safety.note(fault::LATE_TICK);
        }
        let seconds = |us: u32| F::from_count(i32::try_from(us).unwrap_or(i32::MAX)) * F::of(1e-6);
        let mut tick = self.tick;
        if passed_us != self.tick_us {
            tick = TickConstants::after(seconds(passed_us.max(self.tick_us / 8)));
        }
        while let Some(play) = self.playout.due(now_us) {
            for wave in play.keys.as_slice() {
                if let Some(key) = self.keys.get_mut(usize::from(wave.key)) {
                    key.command(wave);
                }
            }
        }
        let mut positions = [F::of(0.0); KEYS];
        if passed_us > self.rules.timeout_us {
            // The mean speed of so long a time is not the present one.
            self.keys.iter_mut().for_each(|key| key.law.restart_speed());
        }
        // In an early tick the moment of the reading is uncertain by a share of the tick.
        self.measure(tick.t.max(seconds(self.tick_us / 2)), counts, &mut positions);
        *forces = [F::of(0.0); KEYS];
        self.act(&tick, passed_us, &positions, forces);
        self.schedule_state();
    }

    /// Converts sensor counts to positions, m. A broken sensor ends the force of all keys in this tick.
    fn measure(&mut self, t: F, counts: &[i32; KEYS], positions: &mut [F; KEYS]) {
        let number = self.count();
        let each = self.keys.iter_mut().zip(counts.iter().zip(positions)).take(number);
        for (k, (key, (count, position))) in each.enumerate() {
            let x = F::from_count(*count) * self.step;
            if !self.has_positions {
                key.set_position(x);
            }
            let (x, is_broken) = key.plausible_position(x, t);
            *position = x;
            if is_broken {
                self.safety.sensor();
                self.broken = self.broken.or(Some(fixed::count(k)));
            }
        }
        self.has_positions = true;
    }

    /// Computes the forces of all keys, N, at their `positions`, m.
    fn act(
        &mut self,
        tick: &TickConstants<F>,
        passed_us: u32,
        positions: &[F; KEYS],
        forces: &mut [F; KEYS],
    ) {
        let rules = &self.rules;
        let is_damped = matches!(self.safety.mode(), DeviceMode::Fading | DeviceMode::Damping);
        let hold_us = u32::from(rules.report_us) * self.rounds + HOLD_US;
        let (gain, is_powered) = (self.safety.gain(), self.safety.is_powered());
        let number = self.count();
        for (key, (x, force)) in self.keys.iter_mut().zip(positions.iter().zip(forces)).take(number)
        {
            let order = KeyOrder {
                impedance: if is_damped { rules.safe_damping } else { key.impedance() },
                gain,
                is_powered,
                is_direct: self.is_direct,
                bed: &rules.bed,
                limits: &rules.limits,
                guard: rules.guard,
            };
            let result = key.tick(tick, *x, &order, [passed_us, hold_us], self.step);
            *force = result.force;
            let faults = [
                (result.limited.clamped, fault::CLAMPED),
                (result.limited.hot, fault::THERMAL),
                (result.is_guarded, fault::ENERGY),
            ];
            for (has_occurred, bit) in faults {
                self.safety.note(if has_occurred { bit } else { 0 });
            }
        }
        let is_moving = self.keys.iter().take(number).any(|key| key.moved_within(passed_us));
        self.safety.damp(passed_us, is_moving);
    }

    /// Marks a state as pending where one is due.
    fn schedule_state(&mut self) {
        let interval = u32::from(self.rules.report_us);
        let is_due = |now_us: u32, last_us: u32| now_us.wrapping_sub(last_us) >= interval;
        if is_due(self.now_us, self.report_us) {
            self.report_us = self.report_us.wrapping_add(interval);
            if is_due(self.now_us, self.report_us) {
                self.report_us = self.now_us;
            }
            self.pending.state = true;
        }
    }

    /// Writes the next frame to be sent to the beginning of `out`, which has room for
    /// [`crate::frame::MAX_FRAME`] bytes. Returns its length, 0 where nothing is to be sent. A due state
    /// precedes all other messages.
    pub fn report(&mut self, out: &mut [u8]) -> usize {
        let message = if self.pending.state {
            self.pending.state = false;
            Message::State(self.state())
        } else if self.pending.hello {
            self.pending.hello = false;
            Message::Hello(Hello { version: self.version, ..self.build.hello })
        } else if self.pending.facts {
            self.pending.facts = false;
            let mut list = KeyList::default();
            self.build.facts.iter().take(self.count()).for_each(|f| list.push(*f));
            Message::Facts(list)
        } else if let Some(token) = self.pending.pong.take() {
            Message::Pong(token, self.now_us)
        } else {
            return 0;
        };
        message.frame(out).unwrap_or(0)
    }

    fn state(&mut self) -> StateMessage {
        let mut state = StateMessage {
            seq: self.state_seq,
            t_us: self.now_us,
            ack: self.playout.last_seq(),
            mode: self.safety.mode().number(),
            faults: self.safety.faults(),
            fault_key: self.broken.unwrap_or(NO_KEY),
            keys: KeyList::default(),
        };
        self.state_seq = self.state_seq.wrapping_add(1);
        let is_reported = self.select_keys();
        let each = self.keys.iter().zip(&self.speeds).enumerate().take(self.count());
        for (k, (key, speed)) in each.filter(|(k, _)| is_reported.get(*k) == Some(&true)) {
            let law = &key.law;
            state.keys.push(KeyState {
                key: fixed::count(k),
                x: i16_of(law.position(), F::of(POSITION)),
                wave_sum: law.wave_sum(),
                force: i16_of(law.force(), F::of(FORCE)),
                impedance: u8_of(law.impedance(), F::of(IMPEDANCE)),
                speed: if self.reports_speeds() { *speed } else { NO_SPEED },
            });
        }
        state
    }

    /// States have measured speeds.
    const fn reports_speeds(&self) -> bool {
        self.version > 2 && self.build.hello.abilities & message::ability::SPEED != 0
    }

    /// Selects the keys of the next state: those that moved recently, in turn where a state cannot hold
    /// them all, and one of the others.
    fn select_keys(&mut self) -> [bool; KEYS] {
        let room = if self.reports_speeds() { WITH_SPEEDS } else { KEYS_PER_STATE };
        let (number, room) = (self.count(), room.min(usize::from(self.build.state_keys.max(1))));
        if number <= ALL_REPORTED.min(room) {
            return [true; KEYS];
        }
        let mut is_reported = [false; KEYS];
        let max_moved = if number > room { room.saturating_sub(1).max(1) } else { number };
        let (mut taken, mut moved) = (0, 0usize);
        let begin = self.next_moved;
        for k in (begin..number).chain(0..begin) {
            if !self.keys.get(k).is_some_and(|key| key.moved_within(RECENT_US)) {
                continue;
            }
            moved += 1;
            if taken < max_moved {
                taken += 1;
                is_reported[k] = true;
                self.next_moved = (k + 1) % number;
            }
        }
        self.rounds = u32::from(fixed::count(moved.div_ceil(max_moved).max(1)));
        if taken < room
            && let Some(is_reported) = is_reported.get_mut(self.next_quiet)
        {
            *is_reported = true;
        }
        self.next_quiet = (self.next_quiet + 1) % number;
        is_reported
    }
}

#[cfg(test)]
mod tests;
