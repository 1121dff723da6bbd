//! Encoding of messages: the fields in the order of docs/protocol.md, little-endian.

use super::{
    Config, Hello, KEYS, KeyFacts, KeyList, KeyState, KeyWave, Message, NO_SPEED, Play,
    StateMessage,
};
use crate::fixed;

mod kind {
    pub(crate) const HELLO: u8 = 0x01;
    pub const FACTS: u8 = 0x02;
    pub const STATE: u8 = 0x03;
    pub(crate) const PONG: u8 = 0x04;
    pub const WAVE: u8 = 0x11;
    pub const TORQUE: u8 = 0x12;
    pub const CONFIG: u8 = 0x13;
    pub(crate) const STOP: u8 = 0x14;
    pub const CLEAR: u8 = 0x15;
    pub(crate) const ASK: u8 = 0x16;
    pub(crate) const PING: u8 = 0x17;
}

/// Version from which on a hello ends with serial number, firmware version and reset cause.
const SINCE_SERIAL: u8 = 3;

/// Reads consecutive fields.
struct FieldReader<'a>(&'a [u8]);

impl FieldReader<'_> {
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
    ) -> Option<KeyList<T>> {
        let number = usize::from(self.u8()?);
        if number > KEYS {
            return None;
        }
        let mut list = KeyList::default();
        for _ in 0..number {
            list.push(record(self)?);
        }
        Some(list)
    }
}

/// Writes consecutive fields.
struct FieldWriter<'a> {
    out: &'a mut [u8],
    length: usize,
}

impl FieldWriter<'_> {
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
        list: &KeyList<T>,
        mut record: impl FnMut(&mut Self, &T) -> Option<()>,
    ) -> Option<()> {
        self.u8(fixed::count(list.length))?;
        list.as_slice().iter().try_for_each(|item| record(self, item))
    }
}

impl Message {
    /// Decodes a payload; `None` for an unknown kind, too short a payload or more than [`KEYS`] keys. Bytes
    /// after the known fields are ignored: a later version has appended them.
    #[must_use]
    pub fn decode(payload: &[u8]) -> Option<Self> {
        let mut r = FieldReader(payload);
        Some(match r.u8()? {
            kind::HELLO => Self::Hello(hello(&mut r)?),
            kind::FACTS => Self::Facts(r.list(facts)?),
            kind::STATE => Self::State(state(&mut r)?),
            kind::PONG => Self::Pong(r.u32()?, r.u32()?),
            kind::WAVE => Self::Wave(play(&mut r)?),
            kind::TORQUE => Self::Torque(play(&mut r)?),
            kind::CONFIG => Self::Config(config(&mut r)?),
            kind::STOP => Self::Stop(r.u16()?),
            kind::CLEAR => Self::Clear(r.u16()?),
            kind::ASK => {
                let newest = r.u8()?;
                Self::Ask { newest, oldest: r.u8().unwrap_or(newest) }
            }
            kind::PING => Self::Ping(r.u32()?),
            _ => return None,
        })
    }

    /// Writes the payload to the beginning of `out`. Returns its length, `None` where `out` is too short.
    pub fn encode(&self, out: &mut [u8]) -> Option<usize> {
        let mut w = FieldWriter { out, length: 0 };
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
            Self::State(m) => put_state(&mut w, m)?,
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
            Self::Ask { newest, oldest } => {
                w.u8(kind::ASK)?;
                w.u8(*newest)?;
                // Version 2 knows the short form alone.
                if oldest != newest {
                    w.u8(*oldest)?;
                }
            }
            Self::Ping(token) => {
                w.u8(kind::PING)?;
                w.u32(*token)?;
            }
        }
        Some(w.length)
    }

    /// Writes the whole frame to the beginning of `out`. Returns its length, `None` where `out` is too
    /// short; [`crate::frame::MAX_FRAME`] bytes always suffice.
    pub fn frame(&self, out: &mut [u8]) -> Option<usize> {
        let mut payload = [0; crate::frame::MAX_PAYLOAD];
        let length = self.encode(&mut payload)?;
        crate::frame::encode(payload.get(..length)?, out)
    }
}

fn hello(r: &mut FieldReader) -> Option<Hello> {
    let mut hello = Hello {
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
        ..Hello::NONE
    };
    if hello.version >= SINCE_SERIAL {
        hello.serial = u64::from_le_bytes(r.take()?);
        hello.firmware = r.take()?;
        hello.reset_cause = r.u8()?;
    }
    Some(hello)
}

fn put_hello(w: &mut FieldWriter, m: &Hello) -> Option<()> {
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
    w.put(m.name)?;
    if m.version >= SINCE_SERIAL {
        w.put(m.serial.to_le_bytes())?;
        w.put(m.firmware)?;
        w.u8(m.reset_cause)?;
    }
    Some(())
}

fn facts(r: &mut FieldReader) -> Option<KeyFacts> {
    Some(KeyFacts {
        key: r.u8()?,
        mass: r.u16()?,
        weight: r.i16()?,
        friction: r.u16()?,
        damping: r.u16()?,
        bed: r.u16()?,
    })
}

fn key_state(r: &mut FieldReader) -> Option<KeyState> {
    Some(KeyState {
        key: r.u8()?,
        x: r.i16()?,
        wave_sum: r.i32()?,
        force: r.i16()?,
        impedance: r.u8()?,
        speed: NO_SPEED,
    })
}

fn state(r: &mut FieldReader) -> Option<StateMessage> {
    let mut state = StateMessage {
        seq: r.u16()?,
        t_us: r.u32()?,
        ack: r.u16()?,
        mode: r.u8()?,
        faults: r.u16()?,
        fault_key: r.u8()?,
        keys: r.list(key_state)?,
    };
    if r.0.len() >= 2 * state.keys.as_slice().len() {
        for key in state.keys.as_mut_slice() {
            key.speed = r.i16()?;
        }
    }
    Some(state)
}

fn put_state(w: &mut FieldWriter, m: &StateMessage) -> Option<()> {
    w.u8(kind::STATE)?;
    w.u16(m.seq)?;
    w.u32(m.t_us)?;
    w.u16(m.ack)?;
    w.u8(m.mode)?;
    w.u16(m.faults)?;
    w.u8(m.fault_key)?;
    w.list(&m.keys, |w, k| {
        w.u8(k.key)?;
        w.i16(k.x)?;
        w.i32(k.wave_sum)?;
        w.i16(k.force)?;
        w.u8(k.impedance)
    })?;
    if m.keys.as_slice().iter().any(|k| k.speed != NO_SPEED) {
        m.keys.as_slice().iter().try_for_each(|k| w.i16(k.speed))?;
    }
    Some(())
}

fn play(r: &mut FieldReader) -> Option<Play> {
    Some(Play {
        seq: r.u16()?,
        play_us: r.u32()?,
        keys: r.list(|r| Some(KeyWave { key: r.u8()?, force: r.i16()?, impedance: r.u8()? }))?,
    })
}

fn put_play(w: &mut FieldWriter, kind: u8, m: &Play) -> Option<()> {
    w.u8(kind)?;
    w.u16(m.seq)?;
    w.u32(m.play_us)?;
    w.list(&m.keys, |w, k| {
        w.u8(k.key)?;
        w.i16(k.force)?;
        w.u8(k.impedance)
    })
}

fn config(r: &mut FieldReader) -> Option<Config> {
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
    })
}

fn put_config(w: &mut FieldWriter, m: &Config) -> Option<()> {
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
    w.u16(m.report_us)
}
