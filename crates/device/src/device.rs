//! The device half of a motorized keyboard: what firmware runs, and the emulator runs unchanged.
//!
//! Give it received bytes with [`Device::receive`], call [`Device::tick`] at the local rate with the
//! sensors' counts, put the forces out, and send what [`Device::report`] writes until it writes
//! nothing. A host's configuration can only tighten what the build allows; implausible sensors stop
//! force whatever the host says. After stop, silence or fault the force is within the fade at most
//! the safe damping times the speed ([`crate::history`] tries it).
//! Times are the device's own microseconds modulo 2³².

pub mod build;
mod channel;
pub mod key_impedance;
pub mod limit;
pub mod playout;
pub mod safety;

use crate::fixed::{self, i16_of, u8_of};
use crate::frame::FrameReceiver;
use crate::message::{
    self, Config, FORCE, Hello, IMPEDANCE, KeyList, KeyState, Message, NO_KEY, POSITION, Play,
    StateMessage, fault,
};
use crate::real::Real;
pub use build::Build;
use build::Rules;
use channel::Channel;
use key_impedance::{KeyImpedance, KeyOrder, TickConstants};
use limit::MotorLimits;
use playout::{Playout, Pushed};
use safety::{DeviceMode, Safety};

/// Time after the next report of a key was due during which its last command still holds, µs; then
/// it decays.
const HOLD_US: u32 = 2_000;
/// A key that moved this recently is in every state, µs.
const RECENT_US: u32 = 100_000;
/// Keyboards of at most this many keys always report all of them.
const FEW: usize = 10;

/// A keyboard of `KEYS` keys that calculates with `F`.
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
    is_placed: bool,
    /// The last host that asked speaks another version.
    is_foreign: bool,
    /// Key whose sensor was found broken since the last clear.
    broken: Option<u8>,
    playout: Playout,
    is_direct: bool,
    receiver: FrameReceiver,
    now_us: u32,
    report_us: u32,
    state_seq: u16,
    /// Where the next state begins to look for keys at rest, and for keys that moved.
    next_quiet: usize,
    next_moved: usize,
    /// States that a round of the keys that move takes.
    rounds: u32,
    wants: Wants,
}

/// Messages to be sent next.
#[derive(Clone, Copy, Debug, Default)]
struct Wants {
    hello: bool,
    facts: bool,
    pong: Option<u32>,
    state: bool,
}

impl<const KEYS: usize, F: Real> Device<KEYS, F> {
    /// Powered up at device time `now_us`, idle. It has the keys its build names, as far as there
    /// is room.
    #[must_use]
    pub fn new(mut build: Build<KEYS, F>, now_us: u32) -> Self {
        let hello = &mut build.hello;
        hello.keys = hello.keys.min(fixed::count(KEYS));
        let rate = hello.rate_hz.max(1);
        let step_nm = hello.step_nm.min(1 << 24).cast_signed();
        let rules = build.rules();
        Self {
            tick: TickConstants::new(F::from_count(i32::from(rate))),
            tick_us: 1_000_000 / u32::from(rate),
            step: F::from_count(step_nm) * F::of(1e-9),
            safety: Safety::new(rules.timeout_us),
            keys: [Channel::default(); KEYS],
            is_placed: false,
            is_foreign: false,
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
            wants: Wants::default(),
            build,
            rules,
        }
    }

    /// What it says of itself.
    #[must_use]
    pub const fn hello(&self) -> &Hello {
        &self.build.hello
    }

    /// The mode of its state machine.
    #[must_use]
    pub const fn mode(&self) -> DeviceMode {
        self.safety.mode()
    }

    /// Bits of [`fault`] since the last clear.
    #[must_use]
    pub const fn faults(&self) -> u16 {
        self.safety.faults()
    }

    /// Keys it has.
    fn count(&self) -> usize {
        usize::from(self.build.hello.keys).min(KEYS)
    }

    /// The impedance of one key, counted from 0.
    #[must_use]
    pub fn key(&self, key: usize) -> Option<&KeyImpedance<F>> {
        self.keys.get(key).map(|channel| &channel.law)
    }

    /// The limits in force.
    #[must_use]
    pub const fn limits(&self) -> &MotorLimits<F> {
        &self.rules.limits
    }

    /// Damping while force fades and after, N·s/m.
    #[must_use]
    pub const fn safe_damping(&self) -> F {
        self.rules.safe_damping
    }

    /// Takes one received byte.
    pub fn receive(&mut self, byte: u8) {
        let message = match self.receiver.push(byte) {
            None => return,
            Some(Ok(payload)) => Message::decode(payload),
            Some(Err(_)) => None,
        };
        match message {
            Some(message) => self.obey(&message),
            None => self.safety.note(fault::FRAME),
        }
    }

    fn obey(&mut self, message: &Message) {
        match message {
            Message::Ask(version) => self.asked(*version),
            Message::Stop(_) => self.stop(),
            // The rest may mean anything in another version.
            _ if self.is_foreign => {}
            Message::Ping(token) => self.wants.pong = Some(*token),
            Message::Config(config) => self.configure(config),
            Message::Clear(_) => self.clear(),
            Message::Wave(play) => self.command(play, false),
            Message::Torque(play) => self.command(play, true),
            // Messages of a device, not of a host.
            Message::Hello(_) | Message::Facts(_) | Message::State(_) | Message::Pong(..) => {
                self.safety.note(fault::FRAME);
            }
        }
    }

    /// A host of protocol `version` asks who is there: one of another version learns the device's
    /// from the hello, and is not obeyed.
    fn asked(&mut self, version: u8) {
        self.is_foreign = version != message::VERSION;
        self.wants.hello = true;
        self.wants.facts = !self.is_foreign;
        if self.is_foreign {
            self.safety.note(fault::VERSION);
            self.stop();
        }
    }

    fn stop(&mut self) {
        self.safety.stop();
        self.playout.clear();
    }

    /// A new session: nothing to play, no wave, the guards full.
    fn clear(&mut self) {
        if self.safety.clear() {
            self.broken = None;
            self.playout = Playout::new();
            let guard = self.rules.guard;
            self.keys.iter_mut().for_each(|key| key.settle(guard));
        }
    }

    fn command(&mut self, play: &Play, is_direct: bool) {
        let ability = if is_direct { message::ability::TORQUE } else { message::ability::WAVE };
        let is_other = self.safety.mode() == DeviceMode::Live && is_direct != self.is_direct;
        if self.build.hello.abilities & ability == 0 || is_other {
            self.safety.note(fault::FRAME);
            return;
        }
        if !self.safety.hears() {
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

    /// Takes up a configuration, cut to what the device was built for.
    fn configure(&mut self, config: &Config) {
        let (rules, is_cut) = self.build.configured(config);
        self.rules = rules;
        self.safety.timeout_us = rules.timeout_us;
        if is_cut {
            self.safety.note(fault::CONFIG);
        }
    }

    /// One tick at device time `now_us`: sensor counts in (positive down), forces on the keys out, N
    /// (positive up: against downward motion). A tick that comes late makes up for the time.
    pub fn tick(&mut self, now_us: u32, counts: &[i32; KEYS], forces: &mut [F; KEYS]) {
        let passed_us = now_us.wrapping_sub(self.now_us);
        self.now_us = now_us;
        self.safety.tick(passed_us);
        let mut tick = self.tick;
        if passed_us > self.tick_us + self.tick_us / 2 {
            let late = i32::try_from(passed_us).unwrap_or(i32::MAX);
            tick.t = F::from_count(late) * F::of(1e-6);
        }
        while let Some(play) = self.playout.due(now_us) {
            for wave in play.keys.as_slice() {
                if let Some(key) = self.keys.get_mut(usize::from(wave.key)) {
                    key.told(wave);
                }
            }
        }
        let mut places = [F::of(0.0); KEYS];
        self.measure(tick.t, counts, &mut places);
        *forces = [F::of(0.0); KEYS];
        self.act(&tick, passed_us, &places, forces);
        self.look_at_report();
    }

    /// Sensor counts to positions, m; a broken sensor takes all force away before any acts.
    fn measure(&mut self, t: F, counts: &[i32; KEYS], places: &mut [F; KEYS]) {
        let number = self.count();
        let each = self.keys.iter_mut().zip(counts.iter().zip(places)).take(number);
        for (k, (key, (count, place))) in each.enumerate() {
            let x = F::from_count(*count) * self.step;
            if !self.is_placed {
                key.place(x);
            }
            let (x, is_broken) = key.believed(x, t);
            *place = x;
            if is_broken {
                self.safety.sensor();
                self.broken = self.broken.or(Some(fixed::count(k)));
            }
        }
        self.is_placed = true;
    }

    fn act(
        &mut self,
        tick: &TickConstants<F>,
        passed_us: u32,
        places: &[F; KEYS],
        forces: &mut [F; KEYS],
    ) {
        let rules = &self.rules;
        let damps = matches!(self.safety.mode(), DeviceMode::Fading | DeviceMode::Damping);
        let hold_us = u32::from(rules.report_us) * self.rounds + HOLD_US;
        let (gain, is_powered) = (self.safety.gain(), self.safety.is_powered());
        let number = self.count();
        for (key, (x, force)) in self.keys.iter_mut().zip(places.iter().zip(forces)).take(number) {
            let order = KeyOrder {
                impedance: if damps { rules.safe_damping } else { key.wanted() },
                gain,
                is_powered,
                is_direct: self.is_direct,
                bed: &rules.bed,
                limits: &rules.limits,
                guard: rules.guard,
            };
            let done = key.tick(tick, *x, &order, [passed_us, hold_us], self.step);
            *force = done.force;
            let happened = [
                (done.limited.clamped, fault::CLAMPED),
                (done.limited.hot, fault::THERMAL),
                (done.is_guarded, fault::ENERGY),
            ];
            for (is, bit) in happened {
                self.safety.note(if is { bit } else { 0 });
            }
        }
    }

    fn look_at_report(&mut self) {
        let interval = u32::from(self.rules.report_us);
        let is_due = |now_us: u32, last_us: u32| now_us.wrapping_sub(last_us) >= interval;
        if is_due(self.now_us, self.report_us) {
            self.report_us = self.report_us.wrapping_add(interval);
            if is_due(self.now_us, self.report_us) {
                self.report_us = self.now_us;
            }
            self.wants.state = true;
        }
    }

    /// Writes the next frame to be sent to the beginning of `out` (room for
    /// [`crate::frame::MAX_FRAME`]); its length, 0 where there is nothing to send. A state that is
    /// due goes first.
    pub fn report(&mut self, out: &mut [u8]) -> usize {
        let message = if self.wants.state {
            self.wants.state = false;
            Message::State(self.state())
        } else if self.wants.hello {
            self.wants.hello = false;
            Message::Hello(self.build.hello)
        } else if self.wants.facts {
            self.wants.facts = false;
            let mut list = KeyList::default();
            self.build.facts.iter().take(self.count()).for_each(|f| list.push(*f));
            Message::Facts(list)
        } else if let Some(token) = self.wants.pong.take() {
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
        let told = self.told();
        let each = self.keys.iter().enumerate().take(self.count());
        for (k, key) in each.filter(|(k, _)| told.get(*k) == Some(&true)) {
            let law = &key.law;
            state.keys.push(KeyState {
                key: fixed::count(k),
                x: i16_of(law.position(), F::of(POSITION)),
                wave_sum: law.wave_sum(),
                force: i16_of(law.force(), F::of(FORCE)),
                impedance: u8_of(law.impedance(), F::of(IMPEDANCE)),
            });
        }
        state
    }

    /// The keys of the next state: those that moved, in turn where they are too many, and one of
    /// the others.
    fn told(&mut self) -> [bool; KEYS] {
        let (number, room) = (self.count(), usize::from(self.build.state_keys.max(1)));
        if number <= FEW.min(room) {
            return [true; KEYS];
        }
        let mut told = [false; KEYS];
        let most = if number > room { room.saturating_sub(1).max(1) } else { number };
        let (mut taken, mut moved) = (0, 0usize);
        let begin = self.next_moved;
        for k in (begin..number).chain(0..begin) {
            if !self.keys.get(k).is_some_and(|key| key.moved_within(RECENT_US)) {
                continue;
            }
            moved += 1;
            if taken < most {
                taken += 1;
                told[k] = true;
                self.next_moved = (k + 1) % number;
            }
        }
        self.rounds = u32::from(fixed::count(moved.div_ceil(most).max(1)));
        if taken < room
            && let Some(place) = told.get_mut(self.next_quiet)
        {
            *place = true;
        }
        self.next_quiet = (self.next_quiet + 1) % number;
        told
    }
}

#[cfg(test)]
mod tests;
