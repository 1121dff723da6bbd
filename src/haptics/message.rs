//! Messages between host and keyboard: fixed records, little-endian (docs/protocol.md).
//!
//! Every record has one size, so that a receiver needs no heap; lists of keys carry their number
//! first. No heap, no standard library: firmware takes this file as it is.

use super::fixed;

/// Version of the protocol; a device of another version is not driven.
pub const VERSION: u8 = 1;

/// Most keys in a message: 88.
pub const KEYS: usize = 88;

/// Unit of positions, m.
pub const POSITION: f64 = 0.5e-6;
/// Unit of forces, N.
pub const FORCE: f64 = 4e-3;
/// Unit of the wave integral, √W·s.
pub const WAVE: f64 = 1e-6;
/// Unit of impedances and damping in key records, N·s/m.
pub const IMPEDANCE: f64 = 0.5;

/// What a device can do: bits of [`Hello::abilities`].
pub mod ability {
    /// Runs the wave junction itself at its local rate.
    pub const WAVE: u16 = 1;
    /// Takes plain forces.
    pub const TORQUE: u16 = 2;
    /// Measures force; without it the force reported is the one applied.
    pub const FORCE_SENSOR: u16 = 4;
    /// Can render a key bed itself.
    pub const KEYBED: u16 = 8;
    /// Has a physical key bed.
    pub const PHYSICAL_BED: u16 = 16;
}

/// What is or was wrong: bits of [`State::faults`]. They stay until cleared.
pub mod fault {
    /// No command for longer than the timeout.
    pub const TIMEOUT: u16 = 1;
    /// A position that no key can have reached.
    pub const SENSOR: u16 = 2;
    /// The thermal limit is reducing force.
    pub const THERMAL: u16 = 4;
    /// Force or slew were limited.
    pub const CLAMPED: u16 = 8;
    /// The energy guard acted.
    pub const ENERGY: u16 = 16;
    /// Frames with wrong check or stuffing.
    pub const FRAME: u16 = 32;
    /// A play-out time too far ahead.
    pub const CLOCK: u16 = 64;
    /// A configuration beyond the device's limits was cut to them.
    pub const CONFIG: u16 = 128;
    /// Stopped by the host.
    pub const STOPPED: u16 = 256;
}

/// What the device says of itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hello {
    /// Version of the protocol it speaks.
    pub version: u8,
    /// Keys it has.
    pub keys: u8,
    /// Piano number (1…88) of its first key.
    pub first_key: u8,
    /// Bits of [`ability`].
    pub abilities: u16,
    /// Local rate, Hz.
    pub rate_hz: u16,
    /// Time between states, µs.
    pub report_us: u16,
    /// Largest force, 10 mN.
    pub force_max: u16,
    /// Force it can hold for ever, 10 mN.
    pub force_held: u16,
    /// Step of its position sensors, nm.
    pub step_nm: u32,
    /// Name, UTF-8, padded with zeros.
    pub name: [u8; 16],
}

/// One key's own mechanics.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyFacts {
    /// Key on the device, from 0.
    pub key: u8,
    /// Moving mass at the tip, 0.1 g.
    pub mass: u16,
    /// Force that holds the key up at rest, mN; negative: it falls by itself.
    pub weight: i16,
    /// Coulomb friction at the tip, mN.
    pub friction: u16,
    /// Viscous damping at the tip, mN·s/m.
    pub damping: u16,
    /// Depth of a physical key bed, 10 µm; 0 without one.
    pub bed: u16,
}

/// One key's state.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyState {
    /// Key on the device, from 0.
    pub key: u8,
    /// Position, [`POSITION`], positive down.
    pub x: i16,
    /// Running integral of the outgoing wave, [`WAVE`], modulo 2³².
    pub wave_sum: i32,
    /// Force applied against downward motion (or measured), [`FORCE`].
    pub force: i16,
    /// Impedance in force, [`IMPEDANCE`].
    pub impedance: u8,
}

/// One key's incoming wave, as the force √(2Z)·w against upward motion, negated.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyWave {
    /// Key on the device, from 0.
    pub key: u8,
    /// −√(2Z)·w, [`FORCE`]; or, in a torque message, the force against downward motion.
    pub force: i16,
    /// Impedance wanted, [`IMPEDANCE`]; in a torque message the local damping.
    pub impedance: u8,
}

/// Limits and local laws.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Config {
    /// Largest force, 10 mN.
    pub force_max: u16,
    /// Largest change of force, 10 N/s.
    pub slew: u16,
    /// Force that may be held for ever, 10 mN.
    pub force_held: u16,
    /// Thermal time constant, 10 ms.
    pub thermal_time: u16,
    /// Time without a command until force fades, ms.
    pub timeout_ms: u16,
    /// Damping after a fault, [`IMPEDANCE`].
    pub safe_damping: u8,
    /// Key bed rendered by the device: stiffness, 10 N/m; 0 renders none.
    pub bed_stiffness: u16,
    /// Its damping, 0.1 N·s/m.
    pub bed_damping: u16,
    /// Its depth, 10 µm.
    pub bed: u16,
    /// Ceiling of the energy guard, 10 µJ; 0 switches the guard off.
    pub guard: u16,
    /// Time between states, µs.
    pub report_us: u16,
    /// Motion at the key tip for one unit of sensor motion, 10⁻⁴.
    pub lever_ratio: u16,
    /// Piano number (1…88) of the first key.
    pub first_key: u8,
}

/// A list of records of at most [`KEYS`] keys.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct List<T> {
    items: [T; KEYS],
    length: usize,
}

impl<T: Copy + Default> Default for List<T> {
    fn default() -> Self {
        Self { items: [T::default(); KEYS], length: 0 }
    }
}

impl<T: Copy + Default> List<T> {
    /// Appends `item`; nothing happens where the list is full.
    pub fn push(&mut self, item: T) {
        if let Some(place) = self.items.get_mut(self.length) {
            *place = item;
            self.length += 1;
        }
    }

    /// The records.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.items.get(..self.length).unwrap_or_default()
    }
}

/// Head of a state message.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct State {
    /// Counts states, modulo 2¹⁶.
    pub seq: u16,
    /// Device time of the positions, µs modulo 2³².
    pub t_us: u32,
    /// `seq` of the last wave or torque message received.
    pub ack: u16,
    /// [`super::device::safety::Mode`] as a number.
    pub mode: u8,
    /// Bits of [`fault`].
    pub faults: u16,
    /// The keys that moved, and one of the others.
    pub keys: List<KeyState>,
}

/// Waves or forces to be applied from a time on.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Play {
    /// Counts these messages, modulo 2¹⁶.
    pub seq: u16,
    /// Device time from which they hold, µs modulo 2³².
    pub play_us: u32,
    /// One record a key.
    pub keys: List<KeyWave>,
}

/// Every message.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(clippy::large_enum_variant, reason = "without a heap there is nowhere else to put it")]
pub enum Message {
    /// Device: what it is.
    Hello(Hello),
    /// Device: its keys' own mechanics.
    Facts(List<KeyFacts>),
    /// Device: positions and waves.
    State(State),
    /// Device: answer to a ping: its token, device time µs.
    Pong(u32, u32),
    /// Host: waves.
    Wave(Play),
    /// Host: forces, for a device without a junction.
    Torque(Play),
    /// Host: limits and local laws.
    Config(Config),
    /// Host: force off, latched; with a sequence number.
    Stop(u16),
    /// Host: faults forgotten, force allowed; with a sequence number.
    Clear(u16),
    /// Host of this protocol version asks who is there.
    Ask(u8),
    /// Host: wants a pong with this token.
    Ping(u32),
}

mod kind {
    pub const HELLO: u8 = 0x01;
    pub const FACTS: u8 = 0x02;
    pub const STATE: u8 = 0x03;
    pub const PONG: u8 = 0x04;
    pub const WAVE: u8 = 0x11;
    pub const TORQUE: u8 = 0x12;
    pub const CONFIG: u8 = 0x13;
    pub const STOP: u8 = 0x14;
    pub const CLEAR: u8 = 0x15;
    pub const ASK: u8 = 0x16;
    pub const PING: u8 = 0x17;
}

/// Reads fields one after another.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }
    fn u8(&mut self) -> Option<u8> {
        self.take::<1>().map(|[b]| b)
    }
    fn u16(&mut self) -> Option<u16> {
        self.take().map(u16::from_le_bytes)
    }
    fn i16(&mut self) -> Option<i16> {
        self.take().map(i16::from_le_bytes)
    }
    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }
    fn i32(&mut self) -> Option<i32> {
        self.take().map(i32::from_le_bytes)
    }
    fn list<T: Copy + Default>(
        &mut self,
        mut record: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<List<T>> {
        let number = usize::from(self.u8()?);
        if number > KEYS {
            return None;
        }
        let mut list = List::default();
        for _ in 0..number {
            list.push(record(self)?);
        }
        Some(list)
    }
}

/// Writes fields one after another.
struct Writer<'a> {
    out: &'a mut [u8],
    length: usize,
}

impl Writer<'_> {
    fn put<const N: usize>(&mut self, bytes: [u8; N]) -> Option<()> {
        self.out.get_mut(self.length..self.length + N)?.copy_from_slice(&bytes);
        self.length += N;
        Some(())
    }
    fn u8(&mut self, v: u8) -> Option<()> {
        self.put([v])
    }
    fn u16(&mut self, v: u16) -> Option<()> {
        self.put(v.to_le_bytes())
    }
    fn i16(&mut self, v: i16) -> Option<()> {
        self.put(v.to_le_bytes())
    }
    fn u32(&mut self, v: u32) -> Option<()> {
        self.put(v.to_le_bytes())
    }
    fn i32(&mut self, v: i32) -> Option<()> {
        self.put(v.to_le_bytes())
    }
    fn list<T: Copy + Default>(
        &mut self,
        list: &List<T>,
        mut record: impl FnMut(&mut Self, &T) -> Option<()>,
    ) -> Option<()> {
        self.u8(fixed::count(list.length))?;
        list.as_slice().iter().try_for_each(|item| record(self, item))
    }
}

impl Message {
    /// The message a payload holds; `None` for an unknown kind, a wrong length or too many keys.
    #[must_use]
    pub fn decode(payload: &[u8]) -> Option<Self> {
        let mut r = Reader(payload);
        let message = match r.u8()? {
            kind::HELLO => Self::Hello(hello(&mut r)?),
            kind::FACTS => Self::Facts(r.list(facts)?),
            kind::STATE => Self::State(State {
                seq: r.u16()?,
                t_us: r.u32()?,
                ack: r.u16()?,
                mode: r.u8()?,
                faults: r.u16()?,
                keys: r.list(key_state)?,
            }),
            kind::PONG => Self::Pong(r.u32()?, r.u32()?),
            kind::WAVE => Self::Wave(play(&mut r)?),
            kind::TORQUE => Self::Torque(play(&mut r)?),
            kind::CONFIG => Self::Config(config(&mut r)?),
            kind::STOP => Self::Stop(r.u16()?),
            kind::CLEAR => Self::Clear(r.u16()?),
            kind::ASK => Self::Ask(r.u8()?),
            kind::PING => Self::Ping(r.u32()?),
            _ => return None,
        };
        r.0.is_empty().then_some(message)
    }

    /// Writes the payload to the beginning of `out`; its length, or `None` where there is no room.
    pub fn encode(&self, out: &mut [u8]) -> Option<usize> {
        let mut w = Writer { out, length: 0 };
        match self {
            Self::Hello(m) => put_hello(&mut w, m)?,
            Self::Facts(list) => {
                w.u8(kind::FACTS)?;
                w.list(list, |w, k| {
                    w.u8(k.key)?;
                    w.u16(k.mass)?;
                    w.i16(k.weight)?;
                    w.u16(k.friction)?;
                    w.u16(k.damping)?;
                    w.u16(k.bed)
                })?;
            }
            Self::State(m) => {
                w.u8(kind::STATE)?;
                w.u16(m.seq)?;
                w.u32(m.t_us)?;
                w.u16(m.ack)?;
                w.u8(m.mode)?;
                w.u16(m.faults)?;
                w.list(&m.keys, |w, k| {
                    w.u8(k.key)?;
                    w.i16(k.x)?;
                    w.i32(k.wave_sum)?;
                    w.i16(k.force)?;
                    w.u8(k.impedance)
                })?;
            }
            Self::Pong(token, t_us) => {
                w.u8(kind::PONG)?;
                w.u32(*token)?;
                w.u32(*t_us)?;
            }
            Self::Wave(m) => put_play(&mut w, kind::WAVE, m)?,
            Self::Torque(m) => put_play(&mut w, kind::TORQUE, m)?,
            Self::Config(m) => put_config(&mut w, m)?,
            Self::Stop(seq) => {
                w.u8(kind::STOP)?;
                w.u16(*seq)?;
            }
            Self::Clear(seq) => {
                w.u8(kind::CLEAR)?;
                w.u16(*seq)?;
            }
            Self::Ask(version) => {
                w.u8(kind::ASK)?;
                w.u8(*version)?;
            }
            Self::Ping(token) => {
                w.u8(kind::PING)?;
                w.u32(*token)?;
            }
        }
        Some(w.length)
    }

    /// Writes the whole frame to the beginning of `out` ([`super::frame::MAX_FRAME`] always
    /// suffices); its length, or `None` where there is no room.
    pub fn frame(&self, out: &mut [u8]) -> Option<usize> {
        let mut payload = [0; super::frame::MAX_PAYLOAD];
        let length = self.encode(&mut payload)?;
        super::frame::encode(payload.get(..length)?, out)
    }
}

fn hello(r: &mut Reader) -> Option<Hello> {
    Some(Hello {
        version: r.u8()?,
        keys: r.u8()?,
        first_key: r.u8()?,
        abilities: r.u16()?,
        rate_hz: r.u16()?,
        report_us: r.u16()?,
        force_max: r.u16()?,
        force_held: r.u16()?,
        step_nm: r.u32()?,
        name: r.take()?,
    })
}

fn put_hello(w: &mut Writer, m: &Hello) -> Option<()> {
    w.u8(kind::HELLO)?;
    w.u8(m.version)?;
    w.u8(m.keys)?;
    w.u8(m.first_key)?;
    w.u16(m.abilities)?;
    w.u16(m.rate_hz)?;
    w.u16(m.report_us)?;
    w.u16(m.force_max)?;
    w.u16(m.force_held)?;
    w.u32(m.step_nm)?;
    w.put(m.name)
}

fn facts(r: &mut Reader) -> Option<KeyFacts> {
    Some(KeyFacts {
        key: r.u8()?,
        mass: r.u16()?,
        weight: r.i16()?,
        friction: r.u16()?,
        damping: r.u16()?,
        bed: r.u16()?,
    })
}

fn key_state(r: &mut Reader) -> Option<KeyState> {
    Some(KeyState {
        key: r.u8()?,
        x: r.i16()?,
        wave_sum: r.i32()?,
        force: r.i16()?,
        impedance: r.u8()?,
    })
}

fn play(r: &mut Reader) -> Option<Play> {
    Some(Play {
        seq: r.u16()?,
        play_us: r.u32()?,
        keys: r.list(|r| Some(KeyWave { key: r.u8()?, force: r.i16()?, impedance: r.u8()? }))?,
    })
}

fn put_play(w: &mut Writer, kind: u8, m: &Play) -> Option<()> {
    w.u8(kind)?;
    w.u16(m.seq)?;
    w.u32(m.play_us)?;
    w.list(&m.keys, |w, k| {
        w.u8(k.key)?;
        w.i16(k.force)?;
        w.u8(k.impedance)
    })
}

fn config(r: &mut Reader) -> Option<Config> {
    Some(Config {
        force_max: r.u16()?,
        slew: r.u16()?,
        force_held: r.u16()?,
        thermal_time: r.u16()?,
        timeout_ms: r.u16()?,
        safe_damping: r.u8()?,
        bed_stiffness: r.u16()?,
        bed_damping: r.u16()?,
        bed: r.u16()?,
        guard: r.u16()?,
        report_us: r.u16()?,
        lever_ratio: r.u16()?,
        first_key: r.u8()?,
    })
}

fn put_config(w: &mut Writer, m: &Config) -> Option<()> {
    w.u8(kind::CONFIG)?;
    w.u16(m.force_max)?;
    w.u16(m.slew)?;
    w.u16(m.force_held)?;
    w.u16(m.thermal_time)?;
    w.u16(m.timeout_ms)?;
    w.u8(m.safe_damping)?;
    w.u16(m.bed_stiffness)?;
    w.u16(m.bed_damping)?;
    w.u16(m.bed)?;
    w.u16(m.guard)?;
    w.u16(m.report_us)?;
    w.u16(m.lever_ratio)?;
    w.u8(m.first_key)
}

#[cfg(test)]
mod tests;
