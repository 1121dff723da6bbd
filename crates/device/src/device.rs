//! The device half of a motorized keyboard: what firmware runs, and the emulator runs unchanged.
//!
//! Give it received bytes with [`Device::receive`], call [`Device::tick`] at the local rate with the
//! sensors' counts, put the forces out, and send what [`Device::report`] writes until it writes
//! nothing. A host's configuration is cut to the build's limits of force, slew, heat and watchdog;
//! implausible sensors stop force whatever the host says.
//! Times are the device's own microseconds modulo 2³².

pub mod key_impedance;
pub mod limit;
pub mod playout;
pub mod safety;

use crate::fixed::{self, i16_of, since, u8_of};
use crate::frame::FrameReceiver;
use crate::message::{
    self, Config, FORCE, Hello, IMPEDANCE, KeyFacts, KeyList, KeyState, Message, POSITION, Play,
    StateMessage, fault,
};
use key_impedance::{KeyImpedance, KeyOrder, RenderedBed, TickConstants};
use limit::MotorLimits;
use playout::Playout;
use safety::{DeviceMode, Safety};

/// Positions a key can have, m.
const REACH: core::ops::RangeInclusive<f64> = -5e-3..=16e-3;
/// Largest plausible key speed, m/s: a hard blow moves a key at 1.
const FASTEST: f64 = 4.0;
/// Implausible ticks in a row that make a fault; fewer are bridged.
const STRIKES: u8 = 3;
/// Largest impedance it renders, N·s/m: stable with every key tried up to 160.
const IMPEDANCE_MAX: f64 = 60.0;
/// Time after the next report was due during which the last command still holds, µs; then it
/// decays.
const HOLD_US: i32 = 2_000;
/// Time constant of that decay, s.
const RUN_OUT: f64 = 5e-3;
/// A key that moved this recently is in every state, µs.
const RECENT_US: i32 = 100_000;
/// Keyboards of at most this many keys always report all of them.
const FEW: usize = 10;

/// What a keyboard is, fixed at build time of its firmware.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Build<const KEYS: usize> {
    /// What it says of itself; its largest and held forces are limits no host can lift.
    pub hello: Hello,
    /// Mass, weight, friction, damping and bed of every key's own mechanics.
    pub facts: [KeyFacts; KEYS],
    /// Largest change of force the amplifier allows, N/s.
    pub slew: f64,
    /// Thermal time constant of the motors, s.
    pub thermal_time: f64,
    /// Longest time without a command that a host may set, µs.
    pub timeout_us: u32,
}

/// Everything a configuration sets, in SI.
#[derive(Clone, Copy, Debug)]
struct Rules {
    limits: MotorLimits,
    safe_damping: f64,
    bed: RenderedBed,
    guard: f64,
    report_us: u16,
    /// Motion of the key front per sensor count, m.
    step: f64,
}

/// A keyboard of `KEYS` keys.
#[derive(Clone, Debug)]
pub struct Device<const KEYS: usize> {
    build: Build<KEYS>,
    rules: Rules,
    tick: TickConstants,
    tick_us: u32,
    safety: Safety,
    keys: [KeyImpedance; KEYS],
    impedances: [f64; KEYS],
    implausible: [u8; KEYS],
    moved_us: [u32; KEYS],
    is_placed: bool,
    playout: Playout,
    is_direct: bool,
    receiver: FrameReceiver,
    now_us: u32,
    report_us: u32,
    state_seq: u16,
    next_quiet: usize,
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

impl<const KEYS: usize> Device<KEYS> {
    /// Powered up at device time `now_us`, idle.
    #[must_use]
    pub fn new(build: Build<KEYS>, now_us: u32) -> Self {
        let hello = &build.hello;
        let limits = MotorLimits {
            force: f64::from(hello.force_max) * 10e-3,
            slew: build.slew,
            held: f64::from(hello.force_held) * 10e-3,
            time: build.thermal_time,
        };
        let rules = Rules {
            limits,
            safe_damping: 3.0,
            bed: RenderedBed::default(),
            guard: 10e-3,
            report_us: hello.report_us.max(125),
            step: f64::from(hello.step_nm) * 1e-9,
        };
        let rate = f64::from(hello.rate_hz.max(1));
        Self {
            tick: TickConstants::new(rate),
            tick_us: 1_000_000 / u32::from(hello.rate_hz.max(1)),
            safety: Safety::new(build.timeout_us),
            keys: [KeyImpedance::default(); KEYS],
            impedances: [0.0; KEYS],
            implausible: [0; KEYS],
            moved_us: [now_us; KEYS],
            is_placed: false,
            playout: Playout::new(),
            is_direct: false,
            receiver: FrameReceiver::new(),
            now_us,
            report_us: now_us,
            state_seq: 0,
            next_quiet: 0,
            wants: Wants::default(),
            build,
            rules,
        }
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

    /// Keys it has: of the `KEYS` there is room for, those its hello names.
    fn count(&self) -> usize {
        usize::from(self.build.hello.keys).min(KEYS)
    }

    /// The impedance of one key, counted from 0.
    #[must_use]
    pub fn key(&self, key: usize) -> Option<&KeyImpedance> {
        self.keys.get(key)
    }

    /// The limits in force.
    #[must_use]
    pub const fn limits(&self) -> &MotorLimits {
        &self.rules.limits
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
            Message::Ask(_) => {
                self.wants.hello = true;
                self.wants.facts = true;
            }
            Message::Ping(token) => self.wants.pong = Some(*token),
            Message::Config(config) => self.configure(config),
            Message::Stop(_) => {
                self.safety.stop();
                self.playout.clear();
            }
            Message::Clear(_) => {
                self.safety.clear();
                self.implausible = [0; KEYS];
                if self.safety.mode() == DeviceMode::Ready {
                    self.settle();
                }
            }
            Message::Wave(play) => self.command(play, false),
            Message::Torque(play) => self.command(play, true),
            // Messages of a device, not of a host.
            Message::Hello(_) | Message::Facts(_) | Message::State(_) | Message::Pong(..) => {
                self.safety.note(fault::FRAME);
            }
        }
    }

    /// A new session: nothing to play, no wave, the guards full.
    fn settle(&mut self) {
        self.playout = Playout::new();
        self.impedances = [0.0; KEYS];
        for key in &mut self.keys {
            let guard = self.rules.guard;
            key.settle(guard);
        }
    }

    fn command(&mut self, play: &Play, is_direct: bool) {
        let ability = if is_direct { message::ability::TORQUE } else { message::ability::WAVE };
        if self.build.hello.abilities & ability == 0 {
            self.safety.note(fault::FRAME);
            return;
        }
        if !self.safety.command() {
            return;
        }
        self.is_direct = is_direct;
        if !self.playout.push(play, self.now_us) {
            self.safety.note(fault::CLOCK);
        }
    }

    /// Takes up a configuration, cut to what the device was built for.
    fn configure(&mut self, c: &Config) {
        let own = MotorLimits {
            force: f64::from(self.build.hello.force_max) * 10e-3,
            slew: self.build.slew,
            held: f64::from(self.build.hello.force_held) * 10e-3,
            time: self.build.thermal_time,
        };
        let asked = MotorLimits {
            force: f64::from(c.force_max) * 10e-3,
            slew: f64::from(c.slew) * 10.0,
            held: f64::from(c.force_held) * 10e-3,
            time: f64::from(c.thermal_time) * 10e-3,
        };
        let limits = asked.within(&own);
        let timeout_us = u32::from(c.timeout_ms) * 1000;
        self.safety.timeout_us = timeout_us.min(self.build.timeout_us);
        if limits != asked || timeout_us > self.build.timeout_us {
            self.safety.note(fault::CONFIG);
        }
        let ratio = if c.lever_ratio == 0 { 1.0 } else { f64::from(c.lever_ratio) * 1e-4 };
        let has_bed = self.build.hello.abilities & message::ability::KEYBED != 0;
        self.rules = Rules {
            limits,
            safe_damping: (f64::from(c.safe_damping) * IMPEDANCE).clamp(2.0, 5.0),
            bed: RenderedBed {
                stiffness: if has_bed { f64::from(c.bed_stiffness) * 10.0 } else { 0.0 },
                damping: f64::from(c.bed_damping) * 0.1,
                depth: f64::from(c.bed) * 10e-6,
            },
            guard: f64::from(c.guard) * 10e-6,
            report_us: c.report_us.clamp(250, 20_000),
            step: f64::from(self.build.hello.step_nm) * 1e-9 * ratio,
        };
        self.build.hello.first_key = c.first_key.clamp(1, 88);
    }

    /// One tick at device time `now_us`: sensor counts in (positive down), forces on the keys out, N
    /// (positive up: against downward motion).
    pub fn tick(&mut self, now_us: u32, counts: &[i32; KEYS], forces: &mut [f64; KEYS]) {
        self.now_us = now_us;
        self.safety.tick(self.tick_us);
        while let Some(play) = self.playout.due(now_us) {
            for wave in play.keys.as_slice() {
                let key = usize::from(wave.key);
                if let (Some(law), Some(z)) = (self.keys.get_mut(key), self.impedances.get_mut(key))
                {
                    law.wave = f64::from(wave.force) * FORCE;
                    *z = (f64::from(wave.impedance) * IMPEDANCE).min(IMPEDANCE_MAX);
                }
            }
        }
        let runs_out = self.playout.silence_us(now_us) > i32::from(self.rules.report_us) + HOLD_US;
        let keep = if runs_out { 1.0 - self.tick.t / RUN_OUT } else { 1.0 };
        for (k, (count, force)) in
            counts.iter().zip(forces.iter_mut()).enumerate().take(self.count())
        {
            *force = self.tick_key(k, *count, keep);
        }
        self.is_placed = true;
        if since(now_us, self.report_us) >= i32::from(self.rules.report_us) {
            self.report_us = self.report_us.wrapping_add(u32::from(self.rules.report_us));
            if since(now_us, self.report_us) >= i32::from(self.rules.report_us) {
                self.report_us = now_us;
            }
            self.wants.state = true;
        }
    }

    fn tick_key(&mut self, k: usize, count: i32, keep: f64) -> f64 {
        let (Some(law), Some(implausible)) = (self.keys.get_mut(k), self.implausible.get_mut(k))
        else {
            return 0.0;
        };
        let mut x = f64::from(count) * self.rules.step;
        if !self.is_placed {
            law.place(x);
        }
        let is_plausible =
            REACH.contains(&x) && (x - law.position()).abs() <= FASTEST * self.tick.t;
        if is_plausible {
            *implausible = 0;
        } else {
            *implausible = implausible.saturating_add(1);
            if *implausible >= STRIKES {
                self.safety.sensor();
                if REACH.contains(&x) {
                    // The key is followed again from where it says it is.
                    law.place(x);
                }
            }
            x = law.position();
        }
        let damps = matches!(self.safety.mode(), DeviceMode::Fading | DeviceMode::Damping);
        let wanted = self.impedances.get(k).copied().unwrap_or(0.0);
        law.wave *= keep;
        let order = KeyOrder {
            impedance: if damps { self.rules.safe_damping } else { wanted },
            gain: self.safety.gain(),
            is_powered: self.safety.is_powered(),
            is_direct: self.is_direct,
            bed: &self.rules.bed,
            limits: &self.rules.limits,
            guard: self.rules.guard,
        };
        let moves = x != law.position();
        let done = law.tick(&self.tick, x, &order);
        if (moves || done.force != 0.0)
            && let Some(at) = self.moved_us.get_mut(k)
        {
            *at = self.now_us;
        }
        if done.limited.clamped {
            self.safety.note(fault::CLAMPED);
        }
        if done.limited.hot {
            self.safety.note(fault::THERMAL);
        }
        if done.is_guarded {
            self.safety.note(fault::ENERGY);
        }
        done.force
    }

    /// Writes the next frame to be sent to the beginning of `out` (room for
    /// [`crate::frame::MAX_FRAME`]); its length, 0 where there is nothing to send.
    pub fn report(&mut self, out: &mut [u8]) -> usize {
        let message = if self.wants.hello {
            self.wants.hello = false;
            Message::Hello(self.build.hello)
        } else if self.wants.facts {
            self.wants.facts = false;
            let mut list = KeyList::default();
            self.build.facts.iter().take(self.count()).for_each(|f| list.push(*f));
            Message::Facts(list)
        } else if let Some(token) = self.wants.pong.take() {
            Message::Pong(token, self.now_us)
        } else if self.wants.state {
            self.wants.state = false;
            Message::State(self.state())
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
            keys: KeyList::default(),
        };
        self.state_seq = self.state_seq.wrapping_add(1);
        let quiet = self.next_quiet;
        self.next_quiet = (quiet + 1) % self.count().max(1);
        for (k, (law, moved)) in self.keys.iter().zip(&self.moved_us).enumerate().take(self.count())
        {
            if self.count() > FEW && k != quiet && since(self.now_us, *moved) > RECENT_US {
                continue;
            }
            state.keys.push(KeyState {
                key: fixed::count(k),
                x: i16_of(law.position(), POSITION),
                wave_sum: law.wave_sum(),
                force: i16_of(law.force(), FORCE),
                impedance: u8_of(law.impedance(), IMPEDANCE),
            });
        }
        state
    }
}

#[cfg(test)]
mod tests;
